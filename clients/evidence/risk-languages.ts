import { foldedText } from './folded-text.ts'
import type { RiskRule } from './risk-rules.ts'

/** How much phrases of each kind say; as the rules for English. */
const WEIGHTS = [
  ['override', 0.75],
  ['address', 0.5],
  ['conceal', 0.55],
  ['reveal', 0.6],
  ['inform', 0.3],
] as const
type Phrase = (typeof WEIGHTS)[number][0]

/**
 * By language: what gives up instructions (`override`), addresses a model, conceals something from
 * the user, asks for the system prompt (`reveal`), informs the user of something.
 */
const PHRASES: Readonly<Record<string, Partial<Readonly<Record<Phrase, RegExp>>>>> = {
  de: {
    override:
      /\b(?:ignorier(?:e|en sie|t)|vergiss|vergesst|vergessen sie|missachte[tn]?(?: sie)?|verwirf|übergehe[tn]?|befolge (?:nicht|keine))\s(?:(?:bitte|sofort|nun|jetzt|ab|alle|alles|sämtliche|jede|deine|eure|ihre|die|das|der|den|bisherigen?|vorherigen?|vorigen?|früheren?|obigen?|vorangegangenen?|ursprünglichen?)\s){1,5}(?:system-?)?(?:anweisung|instruktion|vorgabe|regel|befehl|auftrag|aufträge|prompt|richtlinie)/gi,
    address:
      /\b(?:an alle |hinweis (?:an|für) (?:alle )?|achtung,? |liebe[rs]? )(?:ki|llms?|ai|sprachmodelle?|chatbots?|assistenten)\b|\ban ki-|\b(?:wenn|falls|sofern) du (?:ein|eine) (?:ki|sprachmodell|chatbot|assistent|llm)|\bdu bist (?:jetzt|nun|ab jetzt|ab sofort) (?:ein|eine|im) [a-zäöüß ]{0,30}(?:assistent|ki|modus|modell)/gi,
    conceal:
      /\b(?:verrate|sage?|erzähle?|teile|melde|zeige?)\b[^.!?\n]{0,20}(?:dem|den|der) (?:benutzer|nutzer|anwender|leser|besucher|kunden)(?:n|in)?[^.!?\n]{0,15}\bnicht|\bohne (?:den|die) (?:benutzer|nutzer|anwender|leser)[a-z]{0,20} zu (?:fragen|informieren)/gi,
    reveal:
      /\b(?:system-?prompts?|systemanweisung(?:en)?)\b[^.!?\n]{0,30}\b(?:aus|an|preis|wieder|anzeigen|ausgeben|verraten)|\b(?:zeige?|verrate|nenne?|gib)\b[^.!?\n]{0,40}\bsystem-?prompt/gi,
    inform: /\b(?:sag|antworte|teile?|erzähle?)\b[^.!?\n]{0,10} (?:dem|den) (?:benutzer|nutzer|anwender|leser|besucher)/gi,
  },
  fr: {
    override:
      /\b(?:ignore[zr]?|oublie[zr]?|néglige[zr]?|ne (?:tiens|tenez) (?:pas|plus) compte d[e’']|ne (?:suis|suivez) (?:pas|plus))\s?(?:(?:bien|toutes?|tous|les|tes|vos|ces|des|de|d’)\s?){1,4}(?:anciennes |précédentes )?(?:instructions|consignes|directives|règles|ordres)/gi,
    address:
      /\b(?:note|message|avis|attention|instructions?)(?: (?:à|a|aux|pour))?(?: (?:les|toutes|tous|l’|des)){0,4} ?(?:assistants?|ia|llms?|modèles? de langage|intelligences? artificielles?)\b|\bsi (?:tu es|vous êtes) (?:une? )?(?:ia|assistant|modèle de langage|llm|intelligence artificielle)/gi,
    conceal:
      /\bne (?:dis|dites|révèle[zr]?|signale[zr]?|mentionne[zr]?|parle[zr]?)[^.!?\n]{0,30} (?:à l['’]|au |aux )(?:utilisateur|lecteur|visiteur|client)/gi,
    reveal:
      /\b(?:affiche|révèle|montre|donne|répète)[zr]?\b[^.!?\n]{0,30}(?:prompt système|prompt du système|instructions système|invite système)/gi,
    inform: /\b(?:dis|dites|informe[zr]?|réponds|répondez) (?:à l['’]|au |aux )(?:utilisateur|lecteur|visiteur|client)/gi,
  },
  es: {
    override:
      /\b(?:ignor[ae]n?|olvid[ae]n?|descart[ae]n?|desestim[ae]n?|no (?:sigas|siga|obedezcas))\s(?:(?:ya|por completo|todas?|todos?|las|los|tus|sus|estas|de)\s){1,4}(?:anteriores |previas )?(?:instrucciones|indicaciones|órdenes|reglas|directrices|normas)/gi,
    address:
      /\b(?:nota|aviso|atención|mensaje|instrucción|instrucciones)(?: (?:a|para|de))?(?: (?:los|las|todos|todas|el|la)){0,4} ?(?:modelos? de lenguaje|asistentes?|ia|llms?|inteligencias? artificiales?)\b|\bsi eres (?:una? )?(?:ia|asistente|modelo de lenguaje|llm|inteligencia artificial)/gi,
    conceal:
      /\bno (?:le )?(?:digas|diga|informes|menciones|reveles|avises)[^.!?\n]{0,30} al? (?:los )?(?:usuario|lector|visitante|cliente)/gi,
    reveal:
      /\b(?:muestra|revela|imprime|escribe|repite|dime)\b[^.!?\n]{0,30}(?:prompt (?:del|de) sistema|instrucciones (?:del|de) sistema|mensaje del sistema)/gi,
    inform:
      /\b(?:dile|di|informa|responde|envía) al? (?:los )?(?:usuario|lector|visitante|cliente)|\bhistorial de (?:la )?conversación/gi,
  },
  it: {
    override:
      /\b(?:ignora(?:te|re)?|dimentica(?:te|re)?|trascura|non seguire)\s(?:(?:tutte|tutti|tutto|le|gli|i|tue|vostre|queste|di)\s){1,4}(?:precedenti |tue )?(?:istruzioni|indicazioni|regole|direttive|ordini|comandi)/gi,
    address:
      /\b(?:nota|avviso|attenzione|messaggio)(?: (?:per|a|agli|alle|ai))?(?: (?:gli|le|i|tutti|tutte)){0,4} ?(?:assistenti|modelli linguistici|ia|llm|intelligenze artificiali)\b|\bse sei un['’]?a? ?(?:ia|assistente|modello linguistico|intelligenza artificiale)/gi,
    conceal:
      /\bnon (?:dire|rivelare|menzionare|informare)[^.!?\n]{0,30} (?:all['’]|al |agli |l['’])(?:utente|utenti|lettore|visitatore|cliente)/gi,
    reveal:
      /\b(?:mostra|rivela|stampa|ripeti|scrivi)\b[^.!?\n]{0,30}(?:prompt (?:di|del) sistema|istruzioni (?:di|del) sistema)/gi,
    inform: /\b(?:di['’]?|dì|informa|rispondi) (?:all['’]|al |agli |l['’])(?:utente|utenti|lettore|visitatore|cliente)/gi,
  },
  pt: {
    override:
      /\b(?:ignor[ae]m?|esqueç?c?a|desconsidere|descarte|não siga)\s(?:(?:todas|todos|tudo|as|os|suas|seus|estas|de)\s){1,4}(?:anteriores )?(?:instruções|orientações|ordens|regras|diretrizes|comandos)/gi,
    address:
      /\b(?:nota|aviso|atenção|mensagem)(?: (?:para|a|aos|às))?(?: (?:os|as|todos|todas)){0,4} ?(?:modelos de linguagem|assistentes|ia|llms?|inteligências artificiais)\b|\bse (?:você|tu) (?:é|és|for) uma? (?:ia|assistente|modelo de linguagem|inteligência artificial)/gi,
    conceal:
      /\bnão (?:diga|conte|informe|mencione|revele)[^.!?\n]{0,30} (?:ao|o|aos) (?:usuário|utilizador|leitor|visitante|cliente)/gi,
    reveal: /\b(?:mostre|revele|exiba|imprima|repita)\b[^.!?\n]{0,30}(?:prompt (?:do|de) sistema|instruções (?:do|de) sistema)/gi,
    inform: /\b(?:diga|informe|responda|conte) (?:ao|aos) (?:usuário|utilizador|leitor|visitante|cliente)/gi,
  },
  nl: {
    override:
      /\b(?:negeer|vergeet|sla over|verwerp|volg niet)\s(?:(?:alle|al|je|jouw|uw|de|deze|alles)\s){1,4}(?:(?:eerdere|vorige|voorgaande|bovenstaande)\s)?(?:instructies|aanwijzingen|opdrachten|regels|richtlijnen|prompts?)/gi,
    address:
      /\b(?:let op|bericht|opmerking|aan)(?: (?:voor|aan|alle)){0,4} (?:ai|taalmodellen|llms?|assistenten)\b|\bals je een (?:ai|taalmodel|assistent|llm)/gi,
    conceal: /\b(?:vertel|zeg|meld|laat)\b[^.!?\n]{0,20}de (?:gebruiker|lezer|bezoeker|klant)[^.!?\n]{0,15}\bniet/gi,
    reveal: /\b(?:toon|geef|laat|onthul|herhaal)\b[^.!?\n]{0,30}(?:systeem-?prompt|systeeminstructies)/gi,
    inform: /\b(?:vertel|zeg) (?:tegen )?de (?:gebruiker|lezer|bezoeker|klant)/gi,
  },
  nordic: {
    override:
      /\b(?:ignorera|ignorer|glöm|glem|bortse från|se bort fra|strunta i)\s(?:(?:alla|alle|allt|dina|dine|de|det|om)\s){1,3}(?:(?:tidigare|tidligere|föregående|forrige|ovanstående)\s)?(?:instruktion|anvisning|instruks|regl|prompt|regler)/gi,
    reveal: /\b(?:visa|vis|avslöja|skriv ut)\b[^.!?\n]{0,20}systemprompt/gi,
    inform: /\b(?:berätta för|säg till|fortæl|fortell) (?:användaren|brugeren|brukeren)/gi,
  },
  pl: {
    override:
      /(?:zignoruj|ignoruj|zapomnij(?: o)?|pomiń|odrzuć|nie przestrzegaj)\s(?:(?:wszystkie|wszystkich|swoich|swoje|o|te|poprzednie|poprzednich|wcześniejsze|wcześniejszych|powyższe|dotychczasowe)\s){1,4}(?:instrukcj|polece|zasad|wytyczn|rozkaz|reguł)/gi,
    address:
      /(?:jeśli|jeżeli) jesteś (?:modelem|asystentem|ai|sztuczną)|(?:uwaga|notatka|wiadomość)(?: dla)? (?:modeli językowych|asystent|ai\b)/gi,
    reveal:
      /(?:pokaż|wypisz|ujawnij|wyświetl|podaj)[^.!?\n]{0,25}(?:prompt systemowy|instrukcje systemowe|promptu systemowego)/gi,
    inform: /(?:powiedz|napisz|przekaż) (?:użytkownikowi|czytelnikowi|klientowi)/gi,
  },
  cs: {
    override:
      /(?:ignoruj(?:te)?|zapomeň(?:te)?(?: na)?|přehlížej)\s(?:(?:všechny|všechna|své|předchozí|dosavadní|předešlé|na)\s){1,4}(?:pokyn|instrukc|příkaz|pravidl)/gi,
    reveal: /(?:ukaž|vypiš|prozraď|zobraz)[^.!?\n]{0,20}(?:systémový prompt|systémové pokyny)/gi,
  },
  ru: {
    override:
      /(?:игнорируй|проигнорируй|забудь|не обращай внимания на|отбрось|отмени|не следуй)(?:те)?\s(?:(?:все|всё|всем|обо|о|свои|твои|эти|предыдущие|предыдущих|прежние|прошлые|вышеуказанные|ранние)\s){1,4}(?:инструкци|указани|команд|правил|распоряжени|промпт)/gi,
    address:
      /если (?:ты|вы) (?:языковая модель|ии|искусственный интеллект|нейросеть|ассистент|бот)|(?:внимание|сообщение|примечание|инструкция)(?: для)?,? (?:языковых моделей|ии|нейросетей|ассистент)/gi,
    conceal: /не (?:говори|сообщай|рассказывай|показывай)(?:те)?[^.!?\n]{0,25}пользовател/gi,
    reveal:
      /(?:покажи|выведи|раскрой|напиши|повтори)(?:те)?[^.!?\n]{0,25}(?:системн[а-я]{2,4} (?:промпт|инструкци|сообщени|подсказк)|промпт)/gi,
    inform: /(?:скажи|сообщи|ответь|передай)(?:те)?\s(?:[а-я]{1,10}\s)?пользовател/gi,
  },
  uk: {
    override:
      /(?:ігноруй|проігноруй|забудь)(?:те)?\s(?:(?:всі|усі|про|свої|твої|попередні)\s){1,3}(?:інструкці|вказівк|команд|правил)/gi,
    reveal: /(?:покажи|виведи|розкрий)(?:те)?[^.!?\n]{0,20}системн[а-яії]{2,4} (?:промпт|інструкці)/gi,
  },
  tr: {
    override:
      /(?:önceki|yukarıdaki|tüm|bütün|sana verilen|geçmiş)\s(?:(?:önceki|tüm|bütün|verilen)\s){0,2}(?:talimat|komut|yönerge|kural|istem)[a-zçğıöşü]{0,8}\s(?:yok say|unut|görmezden gel|dikkate alma|göz ardı et|takip etme)/gi,
    address:
      /\b(?:yapay zek[aâ]|dil modeli)[a-zçğıöşü]{0,8}(?: modelleri| asistanları)? ?(?:için not|dikkat|ysen|isen|iseniz)|\beğer bir (?:yapay zek|dil model)/gi,
    reveal: /(?:sistem (?:istemi|komutu|talimat|prompt))[a-zçğıöşü']{0,8}\s(?:göster|yaz|açıkla|paylaş)/gi,
    inform: /kullanıcıya\s[^.!?\n]{0,40}(?:söyle|öner|bildir|de\b)/gi,
  },
  vi: {
    override:
      /(?:bỏ qua|quên|phớt lờ|đừng làm theo)\s(?:(?:tất cả|mọi|hết|các|những|toàn bộ)\s){1,3}(?:hướng dẫn|chỉ dẫn|chỉ thị|lệnh|quy tắc)/gi,
    reveal: /(?:hiển thị|tiết lộ|in ra|cho xem)[^.!?\n]{0,20}(?:lời nhắc hệ thống|prompt hệ thống|chỉ dẫn hệ thống)/gi,
    inform: /(?:nói với|báo cho) người dùng (?:biết|rằng)/gi,
  },
  id: {
    override:
      /\b(?:abaikan|lupakan|hiraukan)\s(?:(?:semua|seluruh|segala)\s)?(?:instruksi|perintah|arahan|aturan|petunjuk)\s(?:sebelumnya|di atas|sistem|anda|kamu)/gi,
    reveal: /\b(?:tampilkan|ungkapkan|tunjukkan|cetak)\b[^.!?\n]{0,20}(?:prompt sistem|instruksi sistem)/gi,
    inform: /\b(?:beri tahu|katakan kepada|beritahu) pengguna/gi,
  },
  zh: {
    override:
      /(?:忽略|无视|忘记|忘掉|抛弃|不要理会|不要遵守|忽視|無視|忘記)(?:你|您|掉|了|之前|以前|先前|以上|上述|此前|前面|所有|全部|一切|任何|的|原来|原有|系统|系統|这些|那些|给|給|收到|过|接到){1,12}(?:指令|指示|命令|提示|设定|設定|规则|規則|要求|说明|說明|限制)/g,
    address:
      /(?:作为|作為|如果你是|若你是|致|注意[:：,，]?)(?:一个|一個|一名|所有|各位)?(?:人工智能|ai|大语言模型|大型语言模型|语言模型|智能助手|大模型|人工智慧|語言模型)/gi,
    conceal: /(?:不要|别|勿|不得)(?:让|告诉|告知|向|通知|讓|告訴)(?:给)?(?:用户|使用者|用戶)/g,
    reveal: /(?:输出|显示|打印|透露|泄露|展示|告诉我|说出|輸出|顯示)[^。！？\n]{0,10}(?:系统提示|系统指令|提示词|系統提示)/g,
    inform: /(?:告诉|告知|告訴)(?:用户|使用者|用戶)|没有限制的(?:助手|ai|模型)|現在你是|现在你是一/gi,
  },
  ja: {
    override:
      /(?:指示|命令|プロンプト|ルール|設定|制約|指令)(?:を|は)?(?:すべて|全て|全部|一切|完全に)?(?:無視|忘れ|破棄|取り消|従わ)/g,
    address:
      /(?:ai|人工知能|言語モデル|アシスタント)(?:アシスタント|モデル|エージェント)?(?:へ[:：]|への(?:指示|注意|お願い)|の方へ|に告ぐ)|あなたが(?:ai|言語モデル|人工知能)(?:なら|であれば|の場合)/gi,
    conceal: /ユーザーには?[^。！？\n]{0,15}(?:知らせない|伝えない|言わない|見せない|教えない)/g,
    reveal: /(?:システム(?:の)?プロンプト|システム(?:の)?指示)を?(?:表示|出力|開示|公開|教え|見せ|示し)/g,
    inform: /ユーザーに[^。！？\n]{0,25}(?:伝えて|言って|開かせ|入力させ|教えて)/g,
  },
  ko: {
    override: /(?:지시|명령|지침|프롬프트|규칙|설정)(?:사항)?(?:들)?(?:을|를|은|는)?\s?(?:모두|전부|다)?\s?(?:무시|잊|따르지)/g,
    address:
      /(?:당신이|네가|너는|만약) ?(?:ai|인공지능|언어 ?모델)|(?:ai|인공지능|언어 ?모델)(?: ?(?:어시스턴트|에이전트))?(?:에게|는 반드시|들에게)/gi,
    conceal: /사용자에게[^.!?\n]{0,15}(?:알리지|말하지|보여주지|언급하지)/g,
    reveal: /시스템 ?(?:프롬프트|지시|명령)(?:를|을)?\s?(?:출력|표시|공개|보여|알려|말해)/g,
    inform: /사용자에게[^.!?\n]{0,20}(?:말하|물어|알려|전하|추천)/g,
  },
  ar: {
    override:
      /(?:تجاهل|تجاهلي|انس|انسى|أهمل|لا تتبع)\s(?:(?:جميع|كل|كافة|هذه|تلك)\s)?(?:ال)?(?:تعليمات|أوامر|توجيهات|قواعد|إرشادات)/g,
    address: /(?:إذا كنت|ان كنت|إلى) (?:نموذج|نماذج|مساعد|ذكاء|الذكاء|روبوت)/g,
    conceal: /لا تخبر (?:ال)?(?:مستخدم|قارئ|زائر)/g,
    reveal: /(?:اعرض|أظهر|اكشف|اطبع|اكتب)\s[^.!?\n]{0,20}(?:موجه النظام|تعليمات النظام|مطالبة النظام)/g,
    inform: /(?:أخبر|اخبر|قل لل?) ?(?:ال)?(?:مستخدم|زائر|قارئ)/g,
  },
  fa: { override: /(?:دستورات|دستورالعمل|دستور)[^.!؟\n]{0,20}(?:نادیده بگیر|فراموش کن)/g },
  he: { override: /(?:התעלם|התעלמי|שכח|תשכח)\s(?:מ|את)?\s?(?:כל|ה)?\s?(?:ההוראות|ההנחיות|הפקודות|הכללים)/g },
  hi: {
    override: /(?:निर्देश|आदेश|नियम|निर्देशों|आदेशों|नियमों)\s(?:को|का|की)\s(?:[^\s।]{1,12}\s){0,2}(?:अनदेखा|नज़रअंदाज़|नजरअंदाज|भूल|उपेक्षा)/g,
    reveal: /सिस्टम (?:प्रॉम्प्ट|निर्देश)\s(?:को )?(?:दिखा|बता|प्रकट|लिख)/g,
    inform: /(?:उपयोगकर्ता|यूज़र) (?:से|को)[^।!?\n]{0,20}(?:माँग|मांग|बता|कह)/g,
  },
}

/** Folds the letters of a pattern as `foldedText` folds those of a text. */
const folded = ({ source, flags }: RegExp): RegExp => new RegExp(foldedText(source, 'prose').text, flags)

/** Rules for orders to whoever reads in other languages than English. */
export const LANGUAGE_RULES: readonly RiskRule[] = Object.entries(PHRASES).flatMap(([language, phrases]) =>
  WEIGHTS.flatMap(([phrase, weight]) => {
    const pattern = phrases[phrase]
    return pattern ? [{ name: `${phrase}-${language}`, category: 'instructions' as const, weight, pattern: folded(pattern) }] : []
  }),
)
