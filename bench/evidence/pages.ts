import type { Tier } from '../../clients/evidence/rate.ts'
import { bare, blog, divs, jsonLd, links, MENU, page, paragraphs, semantic, tables, teasers, webForm } from './frames.ts'
import { type Article, articles } from './texts.ts'

/**
 * A page, and what a careful reader of its source would say was captured of it. The expectation was
 * written before any page was rated.
 */
export type Page = { readonly name: string; readonly expected: Tier; readonly html: string }

const {
  bees,
  bridge,
  cache,
  deutsch,
  francais,
  espanol,
  russkij,
  turkce,
  suomi,
  ellinika,
  arabic,
  hindi,
  thai,
  chinese,
  japanese,
  korean,
} = articles

/** The first paragraphs of an article. */
const first = (article: Article, count: number): Article => ({ ...article, paragraphs: article.paragraphs.slice(0, count) })
/** The same with its last paragraph cut in the middle. */
const cut = (article: Article, count: number): Article => {
  const shown = article.paragraphs.slice(0, count)
  const last = shown.at(-1) ?? ''
  return { ...article, paragraphs: [...shown.slice(0, -1), `${last.slice(0, Math.floor(last.length * 0.7)).trimEnd()}…`] }
}
const closed = jsonLd({ '@context': 'https://schema.org', '@type': 'NewsArticle', isAccessibleForFree: false })
const headlines = (article: Article): readonly (readonly [string, string])[] =>
  article.paragraphs.flatMap((text) => {
    const words = text.split(' ')
    return [
      [words.slice(0, 7).join(' '), `${words.slice(7, 26).join(' ')}.`],
      [words.slice(10, 17).join(' '), `${words.slice(17, 38).join(' ')}.`],
    ] as const
  })

const consent = {
  en: 'We value your privacy. We and our 842 partners store and access information on a device, such as cookies, and process personal data for personalised advertising, measurement and audience research. You can change your choice at any time in the settings at the bottom of the page. Some partners rely on legitimate interest and do not ask for consent.',
  de: 'Wir und unsere 214 Partner speichern Informationen auf Ihrem Gerät und greifen darauf zu, um Anzeigen zu personalisieren, Reichweiten zu messen und Produkte zu verbessern. Sie können Ihre Einwilligung jederzeit in den Einstellungen am Ende der Seite widerrufen. Einige Partner verarbeiten Daten auf der Grundlage eines berechtigten Interesses.',
  fr: 'Avec votre accord, nous et nos 310 partenaires utilisons des traceurs pour stocker et consulter des informations sur votre appareil, mesurer l’audience et proposer des publicités personnalisées. Vous pouvez retirer votre accord à tout moment depuis le lien placé au bas de chaque page. Certains partenaires invoquent leur intérêt légitime.',
  ja: '当サイトでは、広告の表示や利用状況の分析のためにクッキーを使用しています。同意いただくと、当社および提携先がお客様の端末に情報を保存し、これを参照することがあります。設定はページの下部にあるリンクからいつでも変更できます。詳しくはプライバシーに関する方針をご覧ください。',
}
const buttons = (...words: string[]) => words.map((word) => `<button type="button">${word}</button>`).join('')

const captured: Readonly<Record<string, string>> = {
  'English, sections with meaning': semantic(bees),
  'English, nothing but div': divs(bridge),
  'English, blog with tags as classes': blog(cache),
  'English, tables and line breaks': tables(bees),
  'English, no html, head or body': bare(bridge),
  'English, the page is one form': webForm(cache),
  'German, blog': blog(deutsch),
  'German, one form': webForm(deutsch),
  'French, sections': semantic(francais),
  'Spanish, tables': tables(espanol),
  'Russian, nothing but div': divs(russkij),
  'Turkish, bare': bare(turkce),
  'Finnish, sections': semantic(suomi),
  'Greek, blog': blog(ellinika),
  'Arabic, sections': semantic(arabic),
  'Hindi, nothing but div': divs(hindi),
  'Thai, sections': semantic(thai),
  'Chinese, tables': tables(chinese),
  'Chinese, sections': semantic(chinese),
  'Japanese, blog': blog(japanese),
  'Korean, bare': bare(korean),
  'English, consent dialog over the article': semantic(
    bees,
    '',
    `<div id="onetrust-banner-sdk" role="dialog" aria-modal="true"><p>${consent.en}</p>${buttons('Accept all', 'Reject all', 'Settings')}</div>`,
  ),
  'German, consent in a div over the article': semantic(
    deutsch,
    '',
    `<div class="cookie-banner"><p>${consent.de}</p>${buttons('Alle akzeptieren', 'Ablehnen')}</div>`,
  ),
  'English, subscribers only, and all of it sent': page(
    'en',
    bridge.title,
    `<article><h1>${bridge.title}</h1><p>${bridge.paragraphs[0]}</p><div class="premium-part">${paragraphs(bridge.paragraphs.slice(1))}</div></article>`,
    jsonLd({
      '@type': 'NewsArticle',
      isAccessibleForFree: 'False',
      hasPart: { isAccessibleForFree: 'False', cssSelector: '.premium-part' },
    }),
  ),
  'English, length declared and reached': semantic(
    cache,
    jsonLd({ '@type': 'Article', wordCount: 290, isAccessibleForFree: true }),
  ),
  'English, recipe': page(
    'en',
    'Flat bread with onions',
    `${MENU}<main><h1>Flat bread with onions</h1><p>${bees.paragraphs[3]}</p><h2>You need</h2><ul>${['500 g flour', '300 ml warm water', '2 onions', '1 tsp salt', '4 tbsp oil', '7 g yeast'].map((each) => `<li>${each}</li>`).join('')}</ul>
    <h2>Method</h2><ol><li>Stir the yeast into the warm water and wait until it foams, which takes about ten minutes in a kitchen that is neither cold nor in a draught.</li><li>Mix the flour with the salt, make a well, pour in the water and half of the oil, and knead on a floured board until the dough no longer sticks to your hands.</li><li>Cover the bowl and leave it for an hour, or overnight in the fridge, in which case the bread tastes better and you have nothing to do in the evening.</li><li>Slice the onions as thinly as you can, turn them in the rest of the oil with a pinch of salt, and let them soften while the oven heats to 240 degrees.</li><li>Press the dough flat on a tray, spread the onions over it up to the rim, and bake it for eighteen minutes, or until the edge is dark brown and sounds hollow.</li></ol></main>`,
  ),
  'English, tutorial with code': page(
    'en',
    'Reading a file line by line',
    `${MENU}<article><h1>Reading a file line by line</h1><p>${cache.paragraphs[0]}</p><pre><code>const lines = createInterface({ input: createReadStream(path) })\nfor await (const line of lines) {\n  count += 1\n}</code></pre><p>${cache.paragraphs[1]}</p><pre><code>node count.ts &lt; access.log</code></pre><p>${cache.paragraphs[2]}</p></article>`,
  ),
  'English, question with answers': page(
    'en',
    'Why does my sourdough stay flat?',
    `${MENU}<div class="question"><h1>Why does my sourdough stay flat?</h1><div class="post-text"><p>${bees.paragraphs[0]}</p></div></div><div class="answer"><span>12</span><div class="post-text"><p>${bees.paragraphs[1]}</p></div><a href="/u/4">kim</a></div><div class="answer"><span>3</span><div class="post-text"><p>${bees.paragraphs[2]}</p></div><a href="/u/9">ola</a></div>`,
  ),
  'English, encyclopedia with many links': page(
    'en',
    'Talbot Narrows',
    `<div id="content"><h1>Talbot Narrows</h1><table class="infobox"><tr><th>Length</th><td>412 m</td></tr><tr><th>Opened</th><td>1924</td></tr></table>${bridge.paragraphs
      .map(
        (text) => `<p>${text.replace(/\b(river|bank|bridge|engineers|railway|commission)\b/g, '<a href="/wiki/$1">$1</a>')}</p>`,
      )
      .join(
        '',
      )}<h2>References</h2><ol>${[1, 2, 3, 4, 5].map((n) => `<li><a href="#r${n}">Minutes of the commission, vol. ${n}</a></li>`).join('')}</ol></div>`,
  ),
  'English, interview': page(
    'en',
    'Six questions for a lighthouse keeper',
    `<article><h1>Six questions for a lighthouse keeper</h1>${[
      [
        'When did you start?',
        'In the winter of 1981, in a week when nobody else wanted to go out there, and I have never been quite sure whether I was hired or marooned.',
      ],
      [
        'What is the hardest part?',
        'The stairs, everybody thinks, but it is the paperwork. Each night has a form, and the form asks whether anything happened, and there is no box for almost.',
      ],
      [
        'Do you miss people?',
        'I miss particular people. People in general come by boat every Sunday, eat sandwiches below my window and ask whether I miss people.',
      ],
      [
        'What do you read?',
        'Timetables, mostly of railways that closed long ago. They are novels in which everything happens on time and nobody learns anything from it.',
      ],
      [
        'Will you retire here?',
        'No. I shall retire inland, somewhere flat, with a lamp on a switch, and I intend to leave it off and listen to other people worry.',
      ],
      [
        'Any advice for a successor?',
        'Paint the railing before it needs it, learn the names of the boats, and never tell the visitors how many steps there are, because counting is what they come for.',
      ],
    ]
      .map(([question, answer]) => `<p><b>${question}</b></p><p>${answer}</p>`)
      .join('')}</article>`,
  ),
}

const partial: Readonly<Record<string, string>> = {
  'English, teaser and a statement of access': semantic(first(bees, 1), closed),
  'English, three paragraphs, then only for subscribers': semantic(first(bridge, 3), closed),
  'German, teaser and an offer': page(
    'de',
    deutsch.title,
    `${MENU}<article><h1>${deutsch.title}</h1>${paragraphs(deutsch.paragraphs.slice(0, 2))}</article><div class="paywall-box"><h2>Weiterlesen mit Plus</h2><p>Einen Monat gratis, danach 9,99 Euro.</p><a href="/abo">Jetzt testen</a></div>`,
  ),
  'English, long teaser and an offer': page(
    'en',
    cache.title,
    `${MENU}<article><h1>${cache.title}</h1>${paragraphs(cache.paragraphs.slice(0, 3))}<div id="regwall"><p>Create a free account to read on.</p><a href="/join">Join</a></div></article>`,
  ),
  'French, breaks off': semantic(cut(francais, 2)),
  'English, long and breaks off': semantic(cut(bees, 4)),
  'Japanese, breaks off': divs(cut(japanese, 2)),
  'Chinese, one paragraph': semantic(first(chinese, 1)),
  'Arabic, teaser and a statement of access': semantic(first(arabic, 2), closed),
  'Russian, a third of the declared length': semantic(
    first(russkij, 3),
    jsonLd({ '@graph': [{ '@type': 'NewsArticle', wordCount: 700 }] }),
  ),
  'Hindi, brief': tables(first(hindi, 1)),
  'Spanish, brief': bare(first(espanol, 2)),
  'Korean, brief': blog(first(korean, 1)),
  'Thai, brief': divs(first(thai, 1)),
  'Finnish, brief': webForm(first(suomi, 1)),
  'English, product': page(
    'en',
    'Lantern No. 4',
    `${MENU}<main><h1>Lantern No. 4</h1><p>A storm lantern of galvanised steel with a glass that can be lifted by its collar, so that it is lit without taking anything apart. Burns for twenty hours on one filling and stands up to any wind in which you would.</p><table><tr><td>Height</td><td>34 cm</td></tr><tr><td>Weight</td><td>1.1 kg</td></tr></table>${buttons('Add to basket', 'Wish list')}</main>`,
  ),
  'English, first of three pages': page(
    'en',
    bees.title,
    `${MENU}<article><h1>${bees.title}</h1>${paragraphs(bees.paragraphs.slice(0, 3))}<div class="pages"><b>1</b> <a href="?p=2">2</a> <a href="?p=3">3</a></div></article>`,
  ),
  'English, three paragraphs and an offer that markup does not name': page(
    'en',
    bridge.title,
    `${MENU}<article><h1>${bridge.title}</h1>${paragraphs(bridge.paragraphs.slice(0, 3))}<section class="css-9k"><h2>Subscribe to continue</h2><a href="/s">From £1 a week</a></section></article>`,
  ),
}

const titleOnly: Readonly<Record<string, string>> = {
  'English, application': page('en', 'Atlas Console', '<div id="root"></div><script src="/main.3f2a.js"></script>'),
  'English, application that asks for scripts': page(
    'en',
    'Harbour Post | Talbot Narrows in the fog',
    '<noscript>You need to enable JavaScript to run this app.</noscript><div id="app"></div><script>boot()</script>',
  ),
  'Chinese, application': page(
    'zh',
    '港口日报：雾中的大桥',
    '<div id="app"><div class="spin"></div></div><script>start()</script>',
  ),
  'Korean, application with its state': page(
    'ko',
    '비 오는 날의 서점',
    `<div id="__next"></div><script id="__NEXT_DATA__" type="application/json">${JSON.stringify({ body: korean.paragraphs })}</script>`,
  ),
  'English, video': page(
    'en',
    'Felling the poplars: time lapse',
    '<h1>Felling the poplars: time lapse</h1><video src="/v.mp4"></video><p>Video: 2:14</p>',
  ),
  'German, pictures': page(
    'de',
    'Oberlauch bei Nacht',
    '<h1>Oberlauch bei Nacht</h1><figure><img src="1.jpg"><figcaption>Lampe 87</figcaption></figure><figure><img src="2.jpg"><figcaption>Lampe 12</figcaption></figure>',
  ),
  'Arabic, headline and date': page('ar', arabic.title, `<h1>${arabic.title}</h1><time>11 أبريل 2026</time>`),
  'English, document in a frame': page('en', 'Annual report 2025', '<iframe src="/report.pdf" title="Report"></iframe>'),
  'Russian, loading': page('ru', russkij.title, `<h1>${russkij.title}</h1><div>Загрузка…</div>`),
}

const boilerplate: Readonly<Record<string, string>> = {
  'English, consent dialog': page(
    'en',
    'Harbour Post',
    `<div role="dialog" aria-label="Privacy"><h2>We value your privacy</h2><p>${consent.en}</p>${buttons('Accept', 'Reject', 'More options')}</div><div id="root"></div>`,
  ),
  'German, consent of a vendor': page(
    'de',
    'Lauchtal Bote',
    `<div id="usercentrics-root"><p>${consent.de}</p>${buttons('Alle akzeptieren', 'Ablehnen')}</div>`,
  ),
  'French, consent in a form': page(
    'fr',
    'Le Canton',
    `<form action="/choix" method="post"><h1>Avant de continuer</h1><p>${consent.fr}</p><button name="c" value="1">Tout accepter</button><button name="c" value="0">Tout refuser</button><button name="c" value="2">Paramétrer</button></form>`,
  ),
  'Japanese, consent in a div': page(
    'ja',
    '港の新聞',
    `<div class="consent-layer"><p>${consent.ja}</p>${buttons('同意する', '拒否する')}</div>`,
  ),
  'English, consent that markup does not name': page(
    'en',
    'Harbour Post',
    `<div class="css-1q"><h2>Before you continue</h2><p>${consent.en}</p>${buttons('Accept all', 'Reject all')}</div>`,
  ),
  'German, consent that markup does not name': page(
    'de',
    'Lauchtal Bote',
    `<main><h1>Zustimmung</h1><p>${consent.de}</p>${buttons('Zustimmen', 'Abo abschließen')}</main>`,
  ),
  'English, menu': links('en', 'Harbour Post', [
    'Home',
    'World',
    'Politics',
    'Business',
    'Culture',
    'Sport',
    'Science',
    'Travel',
    'Opinion',
    'Podcasts',
    'Jobs',
    'Property',
    'Weather',
    'Puzzles',
    'Letters',
    'Archive',
    'About us',
  ]),
  'Russian, menu': links('ru', 'Вестник мыса', [
    'Главная',
    'Новости',
    'Политика',
    'Экономика',
    'Культура',
    'Спорт',
    'Наука',
    'Путешествия',
    'Мнения',
    'Подкасты',
    'Работа',
    'Погода',
    'Архив',
    'Контакты',
    'Реклама',
    'Подписка',
    'О нас',
  ]),
  'Chinese, menu': links('zh', '港口日报', [
    '首页',
    '国际新闻',
    '国内新闻',
    '财经频道',
    '文化生活',
    '体育赛事',
    '科学技术',
    '旅游天地',
    '读者来信',
    '天气预报',
    '招聘信息',
    '历史资料',
    '联系我们',
    '广告服务',
  ]),
  'Arabic, menu and an application': page(
    'ar',
    'صحيفة الميناء',
    `<nav>${['الرئيسية', 'العالم', 'السياسة', 'الاقتصاد', 'الثقافة', 'الرياضة', 'العلوم', 'السفر', 'الرأي', 'الطقس', 'الوظائف', 'الأرشيف', 'اتصل بنا', 'الإعلانات', 'الاشتراك', 'من نحن', 'الخصوصية'].map((word) => `<a href="/x">${word}</a>`).join(' ')}</nav><div id="app"></div>`,
  ),
  'English, front page of headlines and teasers': teasers('en', 'Harbour Post', [...headlines(bees), ...headlines(bridge)]),
  'Spanish, front page of headlines and teasers': teasers('es', 'El Andén', headlines(espanol)),
  'German, front page of headlines and teasers': teasers('de', 'Lauchtal Bote', headlines(deutsch)),
  'English, list of results': page(
    'en',
    'Results for "bridge"',
    `${MENU}<p>41 results</p><ol>${headlines(bridge)
      .map(
        ([headline, teaser]) =>
          `<li><a href="/r">${headline}</a><br><span>https://harbour.example/r</span><br>${teaser.slice(0, 70)}</li>`,
      )
      .join('')}</ol><div><a href="?2">2</a> <a href="?3">3</a></div>`,
  ),
  'English, site map': page(
    'en',
    'Site map',
    `<h1>Site map</h1><ul>${bees.paragraphs
      .join(' ')
      .split(' ')
      .slice(0, 90)
      .map((word) => `<li><a href="/${word}">${word}</a></li>`)
      .join('')}</ul>`,
  ),
  'English, log-in': page(
    'en',
    'Sign in',
    '<form><h1>Sign in to Harbour Post</h1><p>Sign in to read this article and to manage your subscription.</p><label>Email <input type="email"></label><label>Password <input type="password"></label><label><input type="checkbox"> Keep me signed in</label><button>Sign in</button><a href="/lost">Forgot your password?</a></form>',
  ),
  'Korean, log-in': page(
    'ko',
    '로그인',
    '<form><h1>로그인이 필요합니다</h1><p>이 기사를 읽으려면 먼저 회원 계정으로 로그인해 주시기 바랍니다. 계정이 없으면 무료로 가입할 수 있습니다.</p><label>이메일 <input></label><label>비밀번호 <input type="password"></label><button>로그인</button><button>회원 가입</button></form>',
  ),
  'English, not found, with a menu': page(
    'en',
    'Page not found',
    `${MENU}<h1>Page not found</h1><p>We could not find that page.</p>${MENU}`,
  ),
  'English, check of the browser': page(
    'en',
    'Just a moment',
    '<h1>Checking your browser before you continue</h1><p>This process is automatic. Your browser will be redirected to the requested content shortly. Please allow up to five seconds, and enable cookies and scripts if nothing happens.</p><p>Ray 81f0ab33</p>',
  ),
}

const unusable: Readonly<Record<string, string>> = {
  nothing: '',
  blanks: ' \n\t ',
  'scripts without a title': page('en', null, '<div id="root"></div><script>boot()</script>'),
  'frames without a title': '<html><frameset cols="20%,80%"><frame src="menu.htm"><frame src="main.htm"></frameset></html>',
  'a picture': page('en', null, '<img src="/photo.jpg">'),
  'loading without a title': page('en', null, '<div class="spinner">Loading…</div>'),
  'a redirect': page('en', null, '', '<meta http-equiv="refresh" content="0; url=/next">'),
  'a file that is no text': `%PDF-1.7\n${Array.from({ length: 400 }, (_, index) => String.fromCharCode((index * 37) % 32, 0xfffd, 65 + (index % 50))).join('')}`,
  'text in a wrong encoding': page(
    'ru',
    null,
    `<p>${'\uFFFD\uFFFD\uFFFD\uFFFD \uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD o \uFFFD\uFFFD\uFFFD '.repeat(60)}</p>`,
  ),
}

const rows = (expected: Tier, pages: Readonly<Record<string, string>>): Page[] =>
  Object.entries(pages).map(([name, html]) => ({ name, expected, html }))

export const pages: readonly Page[] = [
  ...rows('body_text_captured', captured),
  ...rows('partial', partial),
  ...rows('title_only', titleOnly),
  ...rows('boilerplate_dominant', boilerplate),
  ...rows('unusable', unusable),
]
