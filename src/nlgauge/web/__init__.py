"""The judges' site and the researcher's dashboard, over the verbs of `study/`.

app        routes, middleware and error pages come together; no module holds state
site       what every route gets: service, folder, secret, templates, phrases; folding: the templates of a language
moulds     pages that are made once, with gaps for what is a judge's own
security   headers, body limit, origin check, form tokens
forms      urlencoded forms with limits; marking: words of a text and their places
judges     the judges' routes; pages: a step → what its page shows; pictures
openapi    the site's OpenAPI document; server: uvicorn, one worker or many (workers); protocol: bounds for requests

A judge's link is the credential: no cookies, so that a study is resumed on any device. Pages work without JavaScript.
"""
