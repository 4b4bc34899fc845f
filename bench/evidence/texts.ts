/**
 * Articles written for this evaluation, each of four paragraphs; a language's name is its BCP 47
 * tag.
 */
export type Article = { readonly lang: string; readonly title: string; readonly paragraphs: readonly string[] }

export const articles = {
  bees: {
    lang: 'en',
    title: 'Why the hives on the hill stopped swarming',
    paragraphs: [
      'For eleven summers the hives behind the old quarry swarmed in the second week of May, so reliably that the parish newsletter printed the date in advance. This year nothing happened. Maria Oduya, who keeps fourteen colonies there, waited until June before she opened the boxes and began to count.',
      'What she found surprised her. The queens were laying well, the stores were full, and there was no sign of disease. But the lower boxes stood almost empty, and the bees had moved their brood upwards, into the part of the hive that catches the evening sun. They had, in her words, given themselves the extra room that a swarm normally looks for.',
      'The explanation turned out to be a row of poplars. Planted as a windbreak in the nineties, the trees had been felled in January, and for the first time the western wall of every hive stood in the light until nine in the evening. Warm walls let a colony spread its brood over a larger area, and a colony that can spread has less reason to leave.',
      'Oduya has since turned six of the hives by ninety degrees, as a test. If those colonies swarm next May and the others do not, she will write it up for the association. Until then she declines to call it a discovery. It is, she says, one hill, one year, and fourteen boxes of insects that have never read a book about themselves.',
    ],
  },
  bridge: {
    lang: 'en',
    title: 'The bridge that was built twice',
    paragraphs: [
      'When the river commission asked for a crossing at Talbot Narrows in 1921, two counties answered, and neither told the other. Surveyors from the north bank set their first stakes in April. Surveyors from the south bank set theirs in May, forty metres upstream, on the assumption that the stakes they could see across the water belonged to a farmer.',
      'By the time somebody compared drawings, both abutments had been poured. The engineers met on a barge, because no hall in either county was considered neutral, and argued for three days. The minutes survive. They record eleven proposals, among them a curved deck, a ferry in perpetuity, and a coin.',
      'In the end they built both. The northern bridge carried the road and the southern one carried the railway, and for sixty years nobody found the arrangement strange. The second structure cost less than the lawsuit would have, a sentence that the commission liked so much that it was cast in bronze and screwed to the parapet.',
      'The railway closed in 1984, and its bridge was offered for sale for one pound. It now carries a footpath, a telephone cable and, since last autumn, the habit of several hundred people to walk out to the middle at dusk and look at the other bridge, which is where the traffic is.',
    ],
  },
  cache: {
    lang: 'en',
    title: 'How a stale cache kept a ferry in port',
    paragraphs: [
      'At 05:40 on a windless Sunday the booking system of the island ferry reported that the ship was full. It was not. Three hundred and twelve people stood on the quay, eleven had boarded, and the captain, who is required to sail with the passenger list that the system prints, had a list with eleven names.',
      'The cause was a cache with two clocks. Seats were held for ten minutes after a customer opened the payment page, and released by a job that compared the time of the hold with the time of the server. On Saturday night the server had been moved to another machine whose clock ran in local time, so every hold appeared to have been made an hour in the future, and none was ever released.',
      'Nobody noticed overnight because nobody bought a ticket to an island at three in the morning. The monitoring watched for errors, and there were none: each part did what it was told. The number of held seats was shown on a dashboard, in grey, on the second page, next to a figure for printer paper.',
      'The operator now stores times in one zone, and alarms when holds outnumber sales for a quarter of an hour. The captain has asked for something simpler. When the list and the quay disagree by more than a bus load, he would like to be allowed to believe the quay.',
    ],
  },
  deutsch: {
    lang: 'de',
    title: 'Das Dorf, das seine Straßenlaternen nummerierte',
    paragraphs: [
      'Im Herbst begann die Gemeinde Oberlauch damit, jede ihrer 212 Straßenlaternen mit einer Nummer zu versehen. Was nach Verwaltung klingt, war die Idee einer Schülerin: Wer nachts eine dunkle Lampe meldet, soll nicht erklären müssen, dass er die dritte hinter dem Feuerwehrhaus meint, von der Kirche aus gesehen.',
      'Die Schilder sind aus Aluminium, kosten vierzig Cent das Stück und wurden an zwei Wochenenden von Freiwilligen angeschraubt. Seitdem dauert es im Schnitt anderthalb Tage, bis eine Lampe wieder brennt. Vorher waren es neun, weil der Bauhof die Stelle oft erst beim zweiten Anlauf fand und dann das passende Leuchtmittel nicht dabeihatte.',
      'Überraschend war, was die Nummern sonst noch auslösten. Der Rettungsdienst nutzt sie als Wegmarken, die Grundschule rechnet mit ihnen, und im Gasthaus verabredet man sich inzwischen an der Siebenundachtzig. Ein Rentner hat eine Karte gezeichnet, auf der zu sehen ist, welche Lampen in den letzten zwölf Monaten ausgefallen sind.',
      'Aus dieser Karte lernte der Bauhof, dass fast alle Ausfälle an einem einzigen Strang hängen, der in den siebziger Jahren zu knapp bemessen wurde. Er wird im Frühjahr erneuert. Die Nummern bleiben hängen, auch wenn es dann weniger zu melden gibt, denn niemand möchte auf den Treffpunkt verzichten.',
    ],
  },
  francais: {
    lang: 'fr',
    title: 'La bibliothèque qui prête des graines',
    paragraphs: [
      'Depuis trois ans, la médiathèque de Saint-Aubry prête des graines comme elle prête des romans. On emprunte un sachet de tomates anciennes en mars, on sème, on récolte, et l’on rapporte à l’automne quelques graines de la plante la plus vigoureuse. Le tiroir où elles dorment porte encore l’étiquette « Géographie ».',
      'Au début, sept lecteurs ont joué le jeu. Ils sont aujourd’hui quatre cents, et le fonds compte cent trente variétés, dont une douzaine que l’on croyait perdues. La courge longue du canton, par exemple, n’existait plus que dans le jardin d’une ancienne institutrice, qui l’a confiée au tiroir dans une enveloppe d’impôts.',
      'Tout n’est pas simple. Les courges se croisent volontiers, et plusieurs emprunteurs ont rapporté des fruits dont personne n’avait demandé l’existence. La bibliothécaire a donc appris à distinguer les espèces, à isoler les fleurs sous un voile, et à noter sur chaque sachet le nom de celui qui l’a cultivé.',
      'Le catalogue en ligne indique désormais la date de la récolte et le taux de germination mesuré par les élèves du collège. Quand il passe sous soixante pour cent, le sachet quitte les rayons. On ne le jette pas : il part dans un mélange que la commune sème sur les talus, où poussent chaque été des légumes anonymes.',
    ],
  },
  espanol: {
    lang: 'es',
    title: 'El reloj que atrasaba a propósito',
    paragraphs: [
      'Durante casi medio siglo, el reloj de la estación de Valdehierro marcó seis minutos menos que cualquier otro reloj de la provincia. Los viajeros forasteros protestaban; los del pueblo sonreían. Nadie lo corregía porque, según el jefe de estación, el reloj no atrasaba por avería sino por acuerdo.',
      'La historia empezó en 1931. El turno de la fábrica de vidrio terminaba a las siete en punto y el último tren salía a las siete y cuatro. Con buen paso se tardaban nueve minutos en llegar al andén. El alcalde escribió dos veces a la compañía para pedir que el tren esperase, y dos veces le contestaron que el horario era nacional.',
      'Entonces el relojero propuso una solución más barata. Si el tren debía salir cuando el reloj de la estación marcase las siete y cuatro, bastaba con que el reloj fuese prudente. El maquinista, que tenía un hermano en la fábrica, no puso objeciones, y el tren empezó a llegar a la capital con un retraso que se atribuía a la pendiente.',
      'La fábrica cerró en 1978 y el reloj siguió atrasando por costumbre. Hace dos años lo sustituyeron por uno digital, sincronizado por satélite. El viejo se conserva en el ayuntamiento, parado a las siete y cuatro, y el último tren, que ya nadie espera, sale puntualmente vacío.',
    ],
  },
  russkij: {
    lang: 'ru',
    title: 'Маяк, который перевели на полставки',
    paragraphs: [
      'Маяк на мысе Сухом горел сто двенадцать лет каждую ночь, пока в прошлом году управление не решило, что он нужен только в туман. Современные суда видят берег на экране, объяснили смотрителю, и свет им не требуется. Смотритель Андрей Лукич выслушал комиссию, налил ей чаю и спросил, видят ли на экране берег рыбаки, у которых экрана нет.',
      'Таких рыбаков в посёлке оказалось двадцать шесть. Они выходят затемно на деревянных лодках и держат курс по двум огням: маяку и окну пекарни, которая начинает работу в четыре утра. Если нет одного из огней, второй бесполезен, потому что линию через одну точку не проведёшь, и это в посёлке понимают даже школьники.',
      'Комиссия согласилась на опыт. Три месяца маяк зажигали с четырёх до семи утра, то есть на полставки, как выразился бухгалтер. За это время расход энергии упал втрое, а лодки возвращались без происшествий. Отчёт занял две страницы, из которых полторы были посвящены пекарне и её расписанию.',
      'Теперь такой порядок утверждён официально. В выходные пекарня закрыта, поэтому маяк в субботу и воскресенье не горит, и рыбаки отдыхают. Лукич говорит, что за всю службу это первый указ, в котором учтено, когда в посёлке пекут хлеб, и что прежние смотрители о таком не могли и мечтать.',
    ],
  },
  turkce: {
    lang: 'tr',
    title: 'Haritada olmayan çeşme',
    paragraphs: [
      'Karlıdere köyünün girişindeki çeşme hiçbir haritada görünmüyor, ama bölgeden geçen bütün bisikletçiler yerini biliyor. Suyu yazın bile dişleri sızlatacak kadar soğuk, üstelik yokuşun tam bittiği yerde akıyor. Köylüler çeşmeyi yüz elli yıl önce bir kervancının yaptırdığını anlatıyor, fakat kitabesindeki yazı çoktan silinmiş.',
      'Geçen bahar belediye yolu genişletmek isteyince çeşmenin kaldırılması gündeme geldi. Köyün öğretmeni öğrencileriyle birlikte bir hafta boyunca çeşmenin başında durup su içenleri saydı. Sonuç beklenenden fazlaydı: yedi günde bin dokuz yüz kişi, üç yüz koyun, kırk bir köpek ve bir itfaiye aracı.',
      'Öğrenciler bu sayıları bir kâğıda yazıp belediyeye götürdü. Mühendisler planı yeniden çizdi ve yolu çeşmenin iki metre ötesinden geçirdi. Böylece viraj biraz yumuşadı, yol da sekiz bin liraya daha ucuza mal oldu, çünkü eski kaynağın üstüne beton dökmek zaten kolay bir iş değilmiş.',
      'Şimdi çeşmenin yanında küçük bir levha duruyor. Üzerinde kervancının adı değil, su içenlerin sayısı yazıyor ve her yaz yeniden sayılıyor. Öğretmene göre bu levha, bir şeyin haritada bulunmasıyla gerçekten var olması arasındaki farkı anlatan en kısa derstir.',
    ],
  },
  suomi: {
    lang: 'fi',
    title: 'Saunavuoro, joka siirsi bussin',
    paragraphs: [
      'Pieksälän kylän viimeinen bussi lähti kolmekymmentä vuotta tasan kello kahdeksan, ja yhtä kauan kyläläiset juoksivat sille märin hiuksin. Yhteissauna nimittäin sulkeutuu vartin yli kahdeksan, eikä kukaan halunnut lähteä kesken viimeisten löylyjen. Moni jäi kyydistä ja käveli kotiin neljä kilometriä pimeässä.',
      'Viime talvena eläkkeellä oleva matematiikan opettaja alkoi pitää kirjaa. Hän merkitsi vihkoonsa joka ilta, montako ihmistä bussissa istui ja montako saunassa, ja piirsi tuloksista käyrän. Käyrät olivat toistensa peilikuvia: mitä enemmän väkeä lauteilla, sitä tyhjempi auto ajoi kaupunkiin.',
      'Liikennöitsijä suhtautui vihkoon ensin epäillen, mutta lähetti sitten kuljettajan katsomaan. Kuljettaja viipyi saunassa kaksi tuntia ja kirjoitti raportin, jossa oli yksi lause. Seuraavasta kuusta alkaen bussi lähti puoli yhdeksältä, ja matkustajamäärä kasvoi heti kolminkertaiseksi.',
      'Nyt naapurikylät ovat pyytäneet samaa vihkoa lainaksi. Opettaja antaa sen mielellään, mutta muistuttaa, että jokaisella kylällä on oma kellonsa. Yhdessä se on sauna, toisessa lypsy ja kolmannessa televisiosarja, ja aikataulu kannattaa tehdä vasta, kun tietää, mitä odotetaan loppuvaksi.',
    ],
  },
  ellinika: {
    lang: 'el',
    title: 'Το νησί που μετρά τον άνεμο',
    paragraphs: [
      'Στο μικρό νησί της Αλυκής κάθε σπίτι έχει στην ταράτσα του ένα ανεμόμετρο. Δεν το επέβαλε κανείς. Ξεκίνησε πριν από δέκα χρόνια, όταν ο δάσκαλος έφερε ένα όργανο για το μάθημα της φυσικής και οι μαθητές ανακάλυψαν ότι ο άνεμος στην πλατεία δεν είχε καμία σχέση με τον άνεμο στο λιμάνι.',
      'Σήμερα εκατόν σαράντα όργανα στέλνουν μετρήσεις κάθε λεπτό. Οι ψαράδες τις κοιτούν πριν ξεκινήσουν, το πλοίο της γραμμής πριν δέσει, και ο φούρναρης πριν ανοίξει το παράθυρο του φούρνου. Ο χάρτης που προκύπτει δείχνει ρεύματα που οι παλιοί ήξεραν με το όνομά τους αλλά δεν τα είχε σχεδιάσει ποτέ κανείς.',
      'Πέρυσι οι μετρήσεις έδειξαν κάτι απρόσμενο. Ένας καινούργιος τοίχος πίσω από το σχολείο έστρεφε τον βοριά προς τα περιβόλια, και οι λεμονιές έχαναν τα άνθη τους. Ο δήμος άνοιξε στον τοίχο δώδεκα τρύπες, όσες υπολόγισαν τα παιδιά, και την επόμενη άνοιξη τα δέντρα κράτησαν τους καρπούς τους.',
      'Πανεπιστήμια έχουν ζητήσει τα δεδομένα, και το νησί τα δίνει δωρεάν. Θέλει μόνο να αναφέρεται ο τόπος με το σωστό του όνομα, γιατί στους περισσότερους χάρτες γράφεται λάθος. Ο δάσκαλος βγήκε στη σύνταξη, αλλά ανεβαίνει ακόμη κάθε πρωί στην ταράτσα, από συνήθεια, να δει προς τα πού γυρίζει ο τροχός.',
    ],
  },
  arabic: {
    lang: 'ar',
    title: 'المخبز الذي يغلق عند الظهر',
    paragraphs: [
      'في حي قديم من أحياء المدينة مخبز صغير يفتح بابه قبل الفجر ويغلقه عند الظهر تماما، مهما طال الطابور أمامه. يقول صاحبه إن العجين لا يعرف الاستعجال، وإن ما يخبز بعد الظهر لا يشبه ما يخبز قبله، لأن حرارة الفرن الحجري تبدأ في الهبوط ولا تعود كما كانت.',
      'قبل خمس سنوات جاءه شاب يدرس الهندسة وطلب أن يقيس حرارة الفرن ساعة بعد ساعة. وضع ستة مقاييس في الجدران وجلس بجانبها أسبوعا كاملا يدون الأرقام. تبين له أن الفرن يحتفظ بحرارته سبع ساعات ثم يفقد ثلثها في ساعة واحدة، تماما كما كان الرجل يقول من غير مقياس.',
      'لم يغير القياس شيئا في عادة المخبز، لكنه غير أشياء حوله. صار الجيران يعرفون متى يكون الخبز في أحسن حاله، وصارت المدرسة ترسل تلاميذها ليروا كيف يشرح الحجر درسا في الفيزياء. ووضع الشاب رسما بيانيا على الجدار، يقرؤه الواقفون في الطابور وهم ينتظرون دورهم.',
      'عرض مستثمر على صاحب المخبز فرنا كهربائيا يعمل طوال النهار، فشكره واعتذر. قال إن الناس لا تأتي إليه من أجل الخبز وحده، بل لأن في يومهم شيئا ينتهي في موعده. ومنذ ذلك الحين أضيف إلى الرسم البياني سطر صغير يقول إن الباب يغلق عند الظهر، مع خالص التحية.',
    ],
  },
  hindi: {
    lang: 'hi',
    title: 'वह डाकिया जो नदी पर चिट्ठी बाँटता है',
    paragraphs: [
      'बरसात के चार महीनों में सोनपुर गाँव की सड़क पानी में डूब जाती है, और तब डाकिया रामसेवक अपनी साइकिल घर पर छोड़कर नाव निकालता है। पिछले बाईस साल में उसने एक भी दिन छुट्टी नहीं ली। गाँव वाले कहते हैं कि बाढ़ का पानी कितना चढ़ा है, यह नाव की रस्सी देखकर पता चल जाता है।',
      'रस्सी पर रामसेवक हर साल एक गाँठ लगाता है, ठीक उस जगह जहाँ पानी सबसे ऊँचा पहुँचा। कुछ साल पहले एक शोधकर्ता ने इन गाँठों को नापा और सरकारी आँकड़ों से मिलाया। दोनों में बस दो अंगुल का अंतर था, जबकि सरकारी यंत्र बीस किलोमीटर दूर लगा हुआ था और कई बार खराब भी रहा था।',
      'इसके बाद विभाग ने तय किया कि रस्सी को भी दस्तावेज़ माना जाए। अब हर साल सितंबर में एक अधिकारी आता है, गाँठ की ऊँचाई लिखता है और रजिस्टर पर रामसेवक से दस्तखत करवाता है। डाकिए को इसके लिए कोई पैसा नहीं मिलता, पर वह कहता है कि चिट्ठी पहुँचाना और पानी नापना एक ही काम है।',
      'अगले साल गाँव में पुल बन जाएगा और नाव की ज़रूरत शायद न रहे। रामसेवक ने कहा है कि वह रस्सी पुल के खंभे से बाँध देगा और गाँठें लगाता रहेगा। बच्चों ने वादा किया है कि जब वह सेवा से निवृत्त होगा, तब यह काम वे सँभालेंगे, और किसी साल की गाँठ छूटने नहीं देंगे।',
    ],
  },
  thai: {
    lang: 'th',
    title: 'ร้านก๋วยเตี๋ยวที่ไม่มีป้ายราคา',
    paragraphs: [
      'ริมคลองสายเล็กทางตะวันตกของเมืองมีร้านก๋วยเตี๋ยวร้านหนึ่งที่ไม่เคยติดป้ายราคา ลูกค้าจ่ายเท่าที่คิดว่าเหมาะสมแล้วหย่อนเงินลงในกล่องไม้หน้าร้าน เจ้าของร้านวัยเจ็ดสิบปีบอกว่าทำแบบนี้มาตั้งแต่ปีน้ำท่วมใหญ่ เพราะตอนนั้นไม่มีใครมีเงินทอน และหลังจากน้ำลดแล้วก็ไม่มีใครอยากกลับไปใช้วิธีเดิมอีก',
      'นักศึกษากลุ่มหนึ่งขออนุญาตนับเงินในกล่องทุกคืนเป็นเวลาหกเดือน พวกเขาพบว่าลูกค้าจ่ายเฉลี่ยสูงกว่าราคาของร้านข้างเคียงเล็กน้อย วันที่ฝนตกคนจะจ่ายมากขึ้น ส่วนวันสิ้นเดือนคนจะจ่ายน้อยลง แต่ต้นเดือนถัดมาก็มักจะมีเงินเกินเข้ามาชดเชยเสมอ ราวกับว่าทุกคนจดบัญชีไว้ในใจของตัวเอง',
      'เมื่อผลการศึกษาเผยแพร่ออกไป มีคนจากต่างถิ่นเดินทางมาลองกินเป็นจำนวนมาก ช่วงแรกเงินในกล่องลดลงอย่างเห็นได้ชัด เพราะผู้มาเยือนไม่รู้ว่าควรจ่ายเท่าไร เจ้าของร้านจึงวางสมุดเล่มหนึ่งไว้ข้างกล่อง ให้ลูกค้าประจำเขียนเล่าว่าก๋วยเตี๋ยวชามนี้มีความหมายอย่างไรกับพวกเขา แล้วปล่อยให้คนที่มาใหม่อ่านเอง',
      'ปัจจุบันสมุดเล่มนั้นกลายเป็นเล่มที่เก้าแล้ว และยอดเงินก็กลับมาอยู่ในระดับเดิม นักศึกษากลับมานับอีกครั้งและสรุปสั้นๆ ว่าเรื่องเล่ามีค่าเท่ากับป้ายราคา เจ้าของร้านหัวเราะเมื่อได้ยิน แล้วบอกว่าไม่จริงหรอก เรื่องเล่านั้นแพงกว่าป้ายมาก เพียงแต่คนที่จ่ายไม่ได้จ่ายเป็นเงินเท่านั้นเอง',
    ],
  },
  chinese: {
    lang: 'zh',
    title: '替邻居收快递的老钟表匠',
    paragraphs: [
      '城南的一条小巷里，有一间只有六平方米的钟表铺。铺主姓沈，今年七十三岁，修表的生意一天只有一两单，可是门口从早到晚都有人来来往往。原来巷子太窄，送货的车开不进来，邻居们便把包裹都寄到他的铺子里，晚上下班时再顺路取走，久而久之，这里成了整条巷子的收发室。',
      '沈师傅收包裹有自己的规矩。每件东西到了，他先用放大镜看清名字，再在一本旧账簿上写下到达的时刻，精确到分钟。有人笑他太认真，他却说，修了一辈子表，不知道时间的东西放在屋里会让他睡不着觉。账簿如今已经写满了十一本，整整齐齐地摆在工具架的最上层。',
      '去年冬天，一位做物流研究的学生偶然看到了这些账簿，如获至宝。她花了三个月把记录输入电脑，发现包裹到达的时间随季节、天气甚至附近学校的考试日期而变化。她的论文指出，末端配送的延误有一半发生在最后三百米，而这三百米恰恰是任何公司的系统里都看不见的。',
      '论文发表以后，快递公司派人来装了一个电子柜。沈师傅没有反对，只是继续记他的账。邻居们也照旧把包裹寄到铺子里，因为电子柜不会告诉他们，今天的风很大，记得给孩子加一件衣服。那个柜子现在大多空着，最下面一格住进了一只猫，它的作息时间也被写进了账簿。',
    ],
  },
  japanese: {
    lang: 'ja',
    title: '時刻表を持たない渡し船',
    paragraphs: [
      '川幅二百メートルほどの渡し場に、時刻表を持たない船がある。乗りたい人は岸に立って手を挙げる。すると対岸の小屋から船頭が出てきて、ゆっくりと漕ぎはじめる。料金は大人も子どもも同じで、自転車は無料である。この仕組みは百年以上変わっておらず、町の人々はそれを不便だと思ったことがないという。',
      '三年前、市役所が橋の計画を発表した。住民説明会では賛成の声が多かったが、ひとりの高校生が手を挙げて質問した。橋ができたら、向こう岸にいる人はどうやって手を挙げればよいのですか。会場は静まりかえり、担当者は答えに困って資料をめくった。翌日の新聞はその質問を見出しに使った。',
      'それから高校生たちは渡し船の利用記録を集めはじめた。船頭の手帳には、誰が何時に渡ったかだけでなく、どんな話をしたかまで書き残されていた。集計してみると、利用者の四割は急ぎの用事がなく、船頭と話すために乗っていることがわかった。橋では代わりのきかない役割が、数字になって現れたのである。',
      '結局、橋は下流に架けられることになり、渡し船は残った。船頭は来年で引退するが、後を継ぐのはあの高校生である。大学を出たら戻ってくるという約束を、町の人々は誰も疑っていない。岸に立って手を挙げれば必ず誰かが来る、という暮らしを、自分の代で終わらせたくないのだと彼女は話している。',
    ],
  },
  korean: {
    lang: 'ko',
    title: '비 오는 날에만 여는 서점',
    paragraphs: [
      '항구 근처 언덕에는 비가 오는 날에만 문을 여는 서점이 있다. 주인은 맑은 날에는 배를 수리하는 목수로 일하고, 비가 와서 배를 만질 수 없는 날이면 가게 문을 열고 불을 켠다. 처음에는 아무도 그 규칙을 알지 못했지만, 이제는 동네 사람들이 하늘이 흐려지면 먼저 우산을 들고 골목을 올라간다.',
      '서점에는 책이 천이백 권쯤 있는데 모두 주인이 한 번 이상 읽은 것이다. 책마다 안쪽 표지에 읽은 날짜와 그날의 강수량이 연필로 적혀 있다. 어떤 손님은 많은 비가 내린 날 읽은 책만 골라서 사 간다고 한다. 그런 책은 대체로 두껍고, 끝까지 읽으려면 장마가 필요하기 때문이라는 것이다.',
      '기상청에서 일하는 한 손님이 이 기록을 우연히 보고 깜짝 놀랐다. 항구의 관측 장비가 고장 났던 두 해 동안의 강수량이 빠짐없이 책 속에 남아 있었기 때문이다. 그는 주인의 허락을 받아 석 달 동안 책을 한 권씩 펼쳐 숫자를 옮겨 적었고, 비어 있던 통계 자료를 채워 넣을 수 있었다.',
      '그 일이 알려진 뒤에도 서점은 달라지지 않았다. 다만 문 앞에 작은 유리병이 하나 놓였는데, 손님들은 들어오면서 병에 고인 물의 높이를 읽어 장부에 적는다. 주인은 언젠가 가뭄이 오면 가게를 못 열겠지만, 그때는 사 둔 책을 읽으며 기다리면 된다고 웃으며 말한다.',
    ],
  },
} as const satisfies Record<string, Article>
