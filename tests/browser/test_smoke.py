from __future__ import annotations
import browsing, time
def test_it(browser, tmp_path, axe):
    t=time.time()
    with browsing.served(browsing.launched(tmp_path/"s")) as site:
        print(site.links, time.time()-t)
        with browsing.visiting(browser, locale="ar") as page:
            page.goto(site.links[0]); print(browsing.heading(page), time.time()-t)
            browsing.screenshot(page,"x"); browsing.fits(page); print(browsing.barriers(page,axe)); print(time.time()-t)
