/**
 * URL shorteners and tracking redirectors: services whose URLs lead to whatever their users
 * choose. From the services' own pages, as of November 2026. Matched at label boundaries.
 */
export const REDIRECTORS: readonly string[] = (
  '1url.com 2.gp 3.ly adf.ly aka.ms b.link bc.vc bit.do bit.ly bitly.com bl.ink buff.ly chilp.it clck.ru cli.gs cutt.ly cutt.us ' +
  'db.tt dlvr.it goo.gl goo.su gg.gg git.io hubs.ly ht.ly hyperurl.co ibit.ly is.gd j.mp kutt.it lc.chat linktr.ee lnkd.in lnk.to lnk.bio ' +
  'mcaf.ee me2.do moourl.com ow.ly page.link q.gs qr.ae qr.net rb.gy rebrand.ly reurl.cc s.id s.yam.com sh.st short.gy short.io ' +
  'shorte.st shorturl.at shrtco.de smarturl.it snip.ly snipurl.com soo.gd su.pr surl.li t.co t.cn t.ly t2m.io tiny.cc tiny.one tinyurl.com tr.im trib.al ' +
  'u.nu u.to urlz.fr urlshortener.at v.gd v.ht vk.cc wp.me x.co zpr.io'
).split(' ')
