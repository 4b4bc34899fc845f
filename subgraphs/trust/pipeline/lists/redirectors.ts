/**
 * URL shorteners and tracking redirectors: services whose URLs lead to whatever their users
 * choose. From the services' own pages as of November 2026, and from the list `url-shortener` of
 * MISP's warning lists (CC0, version 25) without those that only lead to their owner's pages.
 * Matched at label boundaries.
 */
export const REDIRECTORS: readonly string[] = (
  '( ).split( */ + 1url.com 2026. 2h.ae 2ly.link 2no.co 2uuu.me 3c5.com 42url.com 4x.si 7x.qa 9lick.me = Matched November ' +
  'REDIRECTORS: abre.ai adcraft.co adcrun.ch adf.ly adflav.com aiy.ooo aka.gr artist.link as at b2n.ir bc.vc bee4.biz ' +
  'belea.link bit.do bit.ly bitly.com bitly.com.vn bitly.lc bitly.ws bom.so boundaries. buff.ly buzurl.com bx.ms cektkp.com ' +
  'ci.ci clc.li clck.ru cml.lol coki.me const cur.lv cut.by cutt.ly cutt.us cuty.io d.to db.tt dft.ba dik.si dub.co dub.sh ' +
  'dwz.mk e.vg encr.pw encurtador.dev etd.bz export filoops.info flowto.it fun.ly fzy.co gg-l.xyz go.ly gog.li golinks.co ' +
  'goo.by goo.gd goo.gl goo.su han.gl hit.my hyp.ae hyperurl.co i3l.ir ic9.in id.tl idm.in iii.im iiil.io ilang.in inlnk.co ' +
  'insprl.com iplogger.com iplogger.org is.gd ito.mx ity.im iurl.vip j.mp jii.li komin.fo kortlink.dk kutti.co l.ead.me ' +
  'label lc.cx link.zip.net linksshortcut.com linkto.im litby.us ln.run lnk.co lnk.direct lnk.ink lnk.pw lnkd.in lnkfi.re ' +
  'long.af longurl.in maxiurl.com mcaf.ee me2.do merky.de mtr.bio my5353.com mylinks.ai myqrcode.mobi n9.cl nanourly.in ' +
  'neya.io nov.io o2o.to odesli.co of onx.la ouvaton.link ow.ly own p6l.org pages, picz.us po.st postly.link ppt.cc ' +
  'prettylinkpro.com q-r.to q.gs qr-codes.io qr.ae qr.net qrco.de qrcodes.pro qrkit.co rb.gy readonly rebrand.ly ' +
  'rebrandly.com rebrandly.info relink.is reurl.cc ricardo.news s.devh.in s.ee s.id s.rlp.de s3r.io s59.site scrnch.me ' +
  'shly.link shorten.ee shorten.is shorten.tv shorter.me shortquik.com shorturl.ae shorturl.asia shorturl.at shrtcnl.com ' +
  'sht.ac sk.gy sl8.in smarturl.it smurl.fr sn.rs snip.ly song.link spoo.me sprl.in srink.co string[] su.pr surl.li t.co ' +
  't.ly temporary-url.com tg.pe tiny.cc tinyarrows.com tinyurl.com tinyurl.mobi tota2.com tr.ee tr.im trimz.me tt.vg ' +
  'tweez.me twitthis.com twixar.com twixar.me tyny.to u.bb u.to urled.cc urled.pro urless.com urlr.me urlshort.dev ' +
  'urltin.com urlz.fr ux9.de v.gd v.ht vtaurl.com vzturl.com webz.cc x.co xlinkz.info xtu.me xy2.eu yirra.net ykm.de ' +
  'yourls.org yu2.it yu3.io zpag.es zpr.io zurl.to zws.im zzb.bz'
).split(' ')
