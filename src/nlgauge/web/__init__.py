"""The judges' site and the researcher's dashboard, over the verbs of `study/`.

app        routes, middleware, error pages and the OpenAPI document come together; no module holds state
site       what every route gets: service, folder, secret, templates, phrases
moulds     the templates of a language, and pages made once, with gaps for what is a judge's own
security   headers, body limit, origin check, form tokens
forms      urlencoded forms with limits; texts: how a text is shown, and its words that can be marked
judges     the judges' routes; pages: a step → what its page shows, its pictures
server     uvicorn, one worker or many; connections: their bounds and sockets

A judge's link is the credential: no cookies, so that a study is resumed on any device. Pages work without JavaScript.
"""
