import { fold, isUnspaced } from './words.ts'

/**
 * Words of the trade in other languages: German, French, Spanish, Portuguese, Italian, Dutch,
 * Polish, Turkish, Russian, Chinese, Japanese and Korean. Written concept by concept from the
 * directory's categories and most frequent words. English, then what it is called.
 */
const ROWS = `
database: datenbank, datenbanken, base de données, bases de données, base de datos, bases de datos, banco de dados, bancos de dados, baza danych, bazy danych, veritabanı, veri tabanı, база данных, базы данных, базу данных, бд, 数据库, 資料庫, データベース, 데이터베이스
weather: wetter, wettervorhersage, météo, temps qu'il fait, clima, tiempo meteorológico, pronóstico, previsão do tempo, meteo, previsioni del tempo, weer, weersvoorspelling, pogoda, hava durumu, hava, погода, погоду, прогноз погоды, 天气, 天氣, 天気, 날씨
calendar: kalender, calendrier, calendario, calendário, kalendarz, takvim, календарь, 日历, 行事曆, カレンダー, 캘린더, 일정
email: e-mail, courriel, correo, correo electrónico, correio, posta elettronica, posta, poczta, e-posta, eposta, почта, письмо, письма, почту, 邮件, 电子邮件, 郵件, メール, 이메일, 메일
image: bild, bilder, imágenes, imagen, imagem, imagens, immagine, immagini, afbeelding, afbeeldingen, obraz, obrazy, görsel, resim, изображение, изображения, картинки, картинку, 图片, 图像, 圖片, 画像, 이미지, 사진
file: datei, dateien, fichier, fichiers, archivo, archivos, fichero, ficheros, arquivo, arquivos, bestand, bestanden, plik, pliki, dosya, dosyalar, файл, файлы, 文件, 檔案, ファイル, 파일
website: webseite, webseiten, site internet, page web, página web, sitio web, sito, sito web, pagina web, strona, web sitesi, сайт, сайты, страница, 网页, 网站, 網頁, ウェブ, ウェブサイト, 웹사이트, 웹페이지
search: suche, suchen, durchsuchen, recherche, rechercher, chercher, buscar, búsqueda, busca, pesquisar, pesquisa, cercare, cerca, ricerca, zoeken, szukaj, wyszukiwanie, ara, arama, поиск, искать, найти, 搜索, 搜寻, 查找, 検索, 검색
translate: übersetzen, übersetzer, traducteur, traductor, tradutor, traduttore, vertaler, tłumacz, übersetzung, traduire, traduction, traducir, traducción, traduzir, tradução, tradurre, traduzione, vertalen, vertaling, tłumaczenie, çeviri, перевод, перевести, переводчик, 翻译, 翻譯, 翻訳, 번역
send: senden, verschicken, schicken, envoyer, enviar, inviare, invia, versturen, wysłać, gönder, отправить, отправка, 发送, 發送, 送信, 보내기, 전송
read: lesen, lire, leer, ler, leggere, lezen, czytać, oku, okuma, читать, прочитать, 读取, 阅读, 読む, 読み取り, 읽기
write: schreiben, écrire, escribir, escrever, scrivere, schrijven, pisać, yazma, писать, написать, 写作, 撰写, 書く, 쓰기
create: machen, сделать, erstellen, erzeugen, créer, crear, criar, creare, maken, utworzyć, oluştur, создать, создание, 创建, 建立, 作成, 만들기, 생성
generate: generieren, erzeugen, générer, generar, gerar, generare, genereren, generować, üret, генерация, сгенерировать, 生成, 产生, 생성
query: abfragen, abfrage, interroger, requête, consultar, consulta, interrogare, opvragen, zapytanie, sorgu, запрос, 查询, 查詢, クエリ, 쿼리, 조회
flight: flug, flüge, vol, vols, vuelo, vuelos, voo, voos, volo, voli, vlucht, vluchten, loty, uçuş, uçak bileti, рейс, авиабилеты, 航班, 机票, フライト, 航空券, 항공편, 항공권
travel: reise, reisen, voyage, voyages, viaje, viajes, viagem, viagens, viaggio, viaggi, podróż, seyahat, путешествие, путешествия, 旅行, 旅游, 여행
hotel: hôtel, unterkunft, hébergement, alojamiento, hospedagem, alloggio, отель, гостиница, 酒店, ホテル, 호텔
map: karte, karten, landkarte, carte, carte géographique, cartes, mapa, mapas, mappa, mappe, kaart, kaarten, harita, карта, карты, 地图, 地圖, 地図, 지도
browser: navigateur, navegador, przeglądarka, tarayıcı, браузер, 浏览器, 瀏覽器, ブラウザ, 브라우저
music: musik, musique, música, musica, muziek, muzyka, müzik, музыка, музыку, 音乐, 音樂, 音楽, 음악
video: vidéo, vidéos, vídeo, vídeos, wideo, видео, 视频, 影片, 動画, 비디오, 영상
news: nachrichten, actualités, noticias, notícias, notizie, nieuws, wiadomości, haber, haberler, новости, 新闻, 新聞, ニュース, 뉴스
notes: notiz, notizen, anotaciones, nota, notas, anotações, appunti, notities, notatki, notlar, заметки, 笔记, 筆記, メモ, ノート, 노트, 메모
task: aufgabe, aufgaben, tâche, tâches, tarea, tareas, tarefa, tarefas, attività, compiti, taak, taken, zadanie, zadania, görev, задача, задачи, 任务, 任務, 待办, タスク, 할일, 작업
payment: zahlung, zahlungen, bezahlen, paiement, paiements, pago, pagos, pagamento, pagamenti, pagamentos, betaling, betalen, płatność, płatności, ödeme, платеж, платежи, оплата, 支付, 付款, 決済, 支払い, 결제
invoice: rechnung, rechnungen, facture, factures, factura, facturas, fatura, fattura, fatture, factuur, faktura, счет, счета, 发票, 請求書, 송장
price: preis, preise, prix, precio, precios, preço, preços, prezzo, prezzi, prijs, prijzen, cena, ceny, fiyat, цена, цены, 价格, 價格, 価格, 가격
stock: aktie, aktien, aktienkurs, aktienkurse, börse, bourse, acciones, bolsa, ações, azioni, borsa, aandelen, akcje, hisse, акции, биржа, 股票, 株価, 株, 주식
currency: währung, währungen, devise, monnaie, moneda, moeda, valuta, waluta, döviz, валюта, валют, 货币, 汇率, 通貨, 為替, 환율, 통화
message: nachricht, mensaje, mensajes, mensagem, mensagens, messaggio, messaggi, bericht, wiadomość, mesaj, сообщение, сообщения, 消息, 訊息, メッセージ, 메시지
document: dokument, dokumente, documento, documentos, documenti, documenten, dokumenty, belge, документ, документы, 文档, 文書, ドキュメント, 문서
documentation: dokumentation, documentación, documentação, documentazione, documentatie, dokumentacja, belgeler, документация, 技术文档, 説明書
spreadsheet: tabelle, tabellen, tabellenkalkulation, tableur, feuille de calcul, hoja de cálculo, planilha, foglio di calcolo, rekenblad, arkusz, elektronik tablo, таблица, таблицы, 表格, 电子表格, スプレッドシート, 表計算, 스프레드시트
presentation: präsentation, folien, présentation, diapositives, presentación, apresentação, presentazione, presentatie, prezentacja, sunum, презентация, 演示文稿, 幻灯片, プレゼン, 프레젠테이션
diagram: diagramm, diagramme, diagramme, schéma, diagrama, diagramas, diagramma, wykres, диаграмма, диаграммы, схема, 图表, 流程图, ダイアグラム, 図, 다이어그램
memory: gedächtnis, erinnerung, mémoire, memoria, memória, geheugen, pamięć, hafıza, bellek, память, 记忆, 記憶, メモリ, 기억
code: quelltext, quellcode, código, codice, kod, код, 代码, 程式碼, コード, 코드
test: prüfung, essai, prueba, pruebas, teste, testes, prova, тест, тесты, тестирование, 测试, 測試, テスト, 테스트
security: sicherheit, sécurité, seguridad, segurança, sicurezza, veiligheid, bezpieczeństwo, güvenlik, безопасность, 安全, セキュリティ, 보안
project: projekt, projekte, projet, proyecto, projeto, progetto, proje, проект, проекты, 项目, 專案, プロジェクト, 프로젝트
customer: kunde, kunden, cliente, clientes, clienti, klant, klanten, müşteri, клиент, клиенты, 客户, 顧客, 고객
shop: geschäft, laden, boutique, tienda, loja, negozio, winkel, sklep, mağaza, магазин, 商店, 店铺, ショップ, 쇼핑
product: produkt, produkte, produit, produits, producto, productos, produto, produtos, prodotto, prodotti, producten, ürün, товар, товары, 产品, 商品, 製品, 상품
health: gesundheit, santé, salud, saúde, salute, gezondheid, zdrowie, sağlık, здоровье, 健康, 건강
medicine: medizin, médecine, medicina, geneeskunde, medycyna, tıp, медицина, 医学, 医疗, 의학
law: recht, gesetz, gesetze, droit, loi, lois, ley, leyes, derecho, lei, leis, legge, leggi, wetten, prawo, hukuk, закон, законы, 法律, 법률
learning: lernen, apprentissage, aprendizaje, aprendizagem, apprendimento, leren, nauka, öğrenme, обучение, 学习, 學習, 学習, 학습
book: buch, bücher, livre, livres, libro, libros, livro, livros, libri, boek, boeken, książka, kitap, книга, книги, 书籍, 图书, 書籍, 도서, 책
recipe: rezept, rezepte, recette, recettes, receta, recetas, receita, receitas, ricetta, ricette, recept, przepis, tarif, рецепт, рецепты, 食谱, 菜谱, レシピ, 레시피
restaurant: gaststätte, restaurante, ristorante, restauracja, ресторан, рестораны, 餐厅, 餐廳, レストラン, 식당
train: zug, züge, bahn, tren, trem, treno, treni, trein, pociąg, поезд, поезда, 火车, 列车, 電車, 기차
game: spiel, spiele, jeu, jeux, juego, juegos, jogo, jogos, gioco, giochi, gry, oyun, игра, игры, 游戏, 遊戲, ゲーム, 게임
home: smart home, maison, hogar, domótica, domotica, domotique, умный дом, 智能家居, スマートホーム, 스마트홈
light: licht, lumière, lumières, luces, luz, luci, свет, 灯光, 照明, 조명
phone: telefon, handy, téléphone, teléfono, móvil, telefone, celular, telefono, telefoon, телефон, 手机, 電話, 전화
audio: ton, son audio, sonido, áudio, geluid, dźwięk, аудио, звук, 音频, 音声, 오디오, 음성
speech: sprache, spracherkennung, parole, reconnaissance vocale, voz, habla, fala, voce, spraak, mowa, konuşma, речь, распознавание речи, 语音, 語音, 音声認識
screenshot: bildschirmfoto, capture d'écran, captura de pantalla, captura de tela, schermata, schermafbeelding, zrzut ekranu, ekran görüntüsü, скриншот, 截图, 截圖, スクリーンショット, 스크린샷
download: herunterladen, télécharger, descargar, baixar, scaricare, downloaden, pobierz, indir, скачать, загрузить, 下载, 下載, ダウンロード, 다운로드
convert: umwandeln, konvertieren, convertir, converter, convertire, omzetten, konwertuj, dönüştür, конвертировать, преобразовать, 转换, 轉換, 変換, 변환
analyze: analysieren, analyser, analizar, análisis, analisar, análise, analizzare, analisi, analyseren, analiza, analiz, анализ, анализировать, 分析, 분석
summarize: zusammenfassen, zusammenfassung, résumer, résumé, resumir, resumen, resumo, riassumere, riassunto, samenvatten, streszczenie, özet, саммари, краткое содержание, 总结, 摘要, 要約, 요약
manage: verwalten, verwaltung, gérer, gestion, gestionar, gestión, gerenciar, gestão, gestire, gestione, beheren, zarządzanie, yönetim, управление, управлять, 管理, 관리
monitor: überwachen, überwachung, surveiller, surveillance, monitorear, supervisar, monitoramento, monitorare, bewaken, monitorowanie, izleme, мониторинг, 监控, 監控, 監視, 모니터링
cloud: wolke, nuage, nube, nuvem, nuvola, chmura, bulut, облако, 云, 雲端, クラウド, 클라우드
time: uhrzeit, zeitzone, heure, fuseau horaire, hora, zona horaria, fuso horário, ora, fuso orario, tijd, tijdzone, czas, saat, время, часовой пояс, 时间, 时区, 時間, 時刻, 시간
contract: vertrag, verträge, contrat, contrato, contratto, umowa, sözleşme, договор, контракт, 合同, 契約, 계약
job: arbeit, stelle, stellenanzeigen, emploi, empleo, trabajo, emprego, vaga, lavoro, baan, vacature, praca, iş ilanı, работа, вакансии, 招聘, 求人, 채용, 일자리
social: soziale medien, réseaux sociaux, redes sociales, redes sociais, soziales netzwerk, sosyal medya, соцсети, 社交媒体, 社交, 소셜
science: wissenschaft, wissenschaftlich, ciencia, ciência, scienza, wetenschap, bilim, наука, 科学, 과학
paper: wissenschaftliche arbeiten, article scientifique, artículo científico, artigo científico, articolo scientifico, makale, статья, научные статьи, 论文, 論文, 논문
photo: foto, fotos, photographie, fotografia, fotografía, zdjęcie, zdjęcia, fotoğraf, фото, фотографии, 照片, 写真
design: gestaltung, entwurf, conception, diseño, desenho, progettazione, ontwerp, projektowanie, tasarım, дизайн, 设计, 設計, デザイン, 디자인
deploy: bereitstellen, déployer, desplegar, implantar, distribuire, uitrollen, wdrożyć, dağıt, развернуть, деплой, 部署, デプロイ, 배포
automation: automatisierung, automatisieren, automatisation, automatización, automação, automazione, automatisering, automatyzacja, otomasyon, автоматизация, 自动化, 自動化, 자동화
debugging: fehlersuche, débogage, depuración, depuração, hata ayıklama, отладка, 调试, デバッグ, 디버깅
`

/** Empty words of these languages; read as such only beside a word of theirs. */
const FUNCTION_WORDS =
  'der die das den dem des ein eine einen einem und oder für fur mit von vom zu zum zur im auf aus über ich mein meine ' +
  'le la les un une du de et ou pour avec sur dans en mon ma mes je l d el los las una unos del y o para con por mi mis al ' +
  'os as um uma do da dos das no na e em com meu minha il lo gli i di per su nel della dei mio mia che het een van voor met op ' +
  'mijn i na z w do dla ve için bir ile и в на с для по мой мои 的 を の に で 을 를 이 가 의'

const wordsOf = (text: string): string[] => fold(text).match(/[\p{L}\p{N}\p{M}]+/gu) ?? []

/** English of a folded word or phrase. */
const ENGLISH = new Map<string, Set<string>>()
/** The longest phrase of several words, in words; and of an unspaced script, in characters. */
let maxWords = 1
let maxCharacters = 1
for (const row of ROWS.trim().split('\n')) {
  const [english = '', names = ''] = row.split(': ')
  for (const name of names.split(', ')) {
    const key = wordsOf(name).join(' ')
    if (key === english) continue
    ENGLISH.set(key, (ENGLISH.get(key) ?? new Set()).add(english))
    if (isUnspaced(key)) maxCharacters = Math.max(maxCharacters, key.length)
    else maxWords = Math.max(maxWords, key.split(' ').length)
  }
}

/** Folded empty words of other languages. */
export const FOREIGN_STOP_WORDS: ReadonlySet<string> = new Set(FUNCTION_WORDS.split(' ').map(fold))

/** A part of a query that is a word of another language, and its English. */
export type Translated = { readonly original: string; readonly english: readonly string[] }

/**
 * The parts of a query that are words of other languages, the longest first, and the query without
 * them. A part may mean itself as well: names are words of some language too.
 */
export function translationsIn(query: string): { readonly rest: string; readonly found: readonly Translated[] } {
  const found: Translated[] = []
  const take = (original: string): boolean => {
    const english = ENGLISH.get(original)
    if (english) found.push({ original, english: [...english] })
    return english !== undefined
  }
  const rest: string[] = []
  const words = wordsOf(query)
  for (let at = 0; at < words.length; ) {
    const word = words[at] as string
    const length = isUnspaced(word)
      ? 0
      : greatestCount(Math.min(maxWords, words.length - at), (count) => take(words.slice(at, at + count).join(' ')))
    if (length === 0) rest.push(isUnspaced(word) ? withoutKnown(word, take) : word)
    at += Math.max(1, length)
  }
  // What was typed is read with its signs and capitals where nothing was translated.
  return found.length === 0 ? { rest: query, found } : { rest: rest.join(' '), found }
}

/** The greatest count, from `max` down to 1, that is accepted; 0 when none is. */
function greatestCount(max: number, accepts: (count: number) => boolean): number {
  for (let count = max; count > 0; count -= 1) if (accepts(count)) return count
  return 0
}

/** A run without spaces, without the parts that are known. */
function withoutKnown(run: string, take: (part: string) => boolean): string {
  let rest = ''
  for (let at = 0; at < run.length; ) {
    const length = greatestCount(Math.min(maxCharacters, run.length - at), (count) => take(run.slice(at, at + count)))
    rest += length === 0 ? run[at] : ' '
    at += Math.max(1, length)
  }
  return rest
}
