import { UNCATEGORIZED } from '../item/item.ts'

/**
 * The vocabulary. Each category: the spellings of sources that mean it, and the words that speak
 * for it where no source names one.
 */
const VOCABULARY: Readonly<Record<string, { readonly aliases: string; readonly words: string }>> = {
  Databases: {
    aliases: 'database, db, vector database, vector databases, data storage, storage',
    words:
      'database, databases, sql, postgres, postgresql, mysql, mariadb, sqlite, mongodb, mongo, redis, neo4j, clickhouse, snowflake, bigquery, supabase, duckdb, elasticsearch, opensearch, qdrant, pinecone, milvus, weaviate, chroma, oracle, mssql, dynamodb, cassandra, couchbase, cockroachdb, questdb, influxdb, airtable, prisma, orm, drizzle, nocodb, neon, surrealdb, vector',
  },
  'Cloud & DevOps': {
    aliases:
      'devops, cloud, cloud platforms, cloud platforms and services, infrastructure, deployment, operations, build and deployment tools, automation devops, ci cd, containers, serverless, cost management, hosting, kubernetes, site reliability, incident response',
    words:
      'devops, kubernetes, k8s, docker, container, containers, terraform, aws, azure, gcp, cloudflare, cloud, deployment, deploy, ci, cd, pipeline, pipelines, helm, ansible, jenkins, serverless, vercel, netlify, heroku, digitalocean, infrastructure, argocd, pulumi, openshift, proxmox, vm, hosting, railway, ec2, s3, lambda, nginx, vps, ssh, server-management, gitops',
  },
  'Search & Web': {
    aliases: 'search, web search, web, web services, news, rss, search and data extraction, search and web, feeds',
    words:
      'search, websearch, web-search, serp, google, bing, brave, tavily, exa, perplexity, news, rss, feed, feeds, searxng, duckduckgo, crawler, seo-search, kagi, baidu, wikipedia, url, fetch',
  },
  'Browser Automation': {
    aliases: 'browser automation and web scraping, web scraping, scraping, browser, browsers, web automation',
    words:
      'browser, playwright, puppeteer, selenium, scraping, scraper, scrape, scrapes, crawl, crawling, crawls, chrome, chromium, firecrawl, headless, devtools-protocol, stagehand, webpage, webpages, screenshot, screenshots',
  },
  'Developer Tools': {
    aliases:
      'development, developer tools, dev tools, devtools, code, coding, tools, coding agents, code execution, version control, developer productivity and utilities, code analysis and quality, code quality testing, development engineering, git workflow, frameworks, languages, testing, quality, performance, modernization, api, apis, integration, integrations, migration, engineering, engineering team, official claude code plugins, software development, web development, programming, git, debugging, backend, frontend, developer, accessibility, sdk, code review, typo3, php, developer essentials, framework, build',
    words:
      'code, coding, git, github, gitlab, bitbucket, gitea, ide, vscode, debug, debugger, debugging, lint, linter, linting, compiler, typescript, javascript, python, rust, golang, java, kotlin, php, ruby, npm, maven, pypi, cargo, package, packages, api, apis, openapi, swagger, graphql, sdk, test, tests, testing, tdd, jest, pytest, refactor, refactoring, frontend, backend, react, vue, angular, svelte, nextjs, django, laravel, rails, spring, repository, repositories, commit, commits, pull-request, developer, developers, development, programming, software, cli, regex, json, yaml, jupyter, sandbox, scaffold, boilerplate, codebase, postman, lsp, unity, xcode, jetbrains, eslint, storybook, webhook, template, microservices, architecture, hooks',
  },
  'AI & Machine Learning': {
    aliases:
      'ai, ai ml, ml, machine learning, ai and llm integration, ai systems, llm, llms, agents, ai agents, aggregators, mcp tools, ai and machine learning, agent orchestration, artificial intelligence, ai research, ai engineering, prompt engineering, data science and ml, deep learning, multi agent, ai safety',
    words:
      'llm, llms, ai, openai, gpt, claude, gemini, anthropic, ollama, huggingface, model, models, prompt, prompts, prompting, agent, agents, subagent, subagents, rag, embedding, embeddings, inference, machine-learning, ml, deep-learning, pytorch, tensorflow, fine-tuning, langchain, neural, deepseek, reasoning, multi-agent, orchestration, a2a, aggregator, proxy, gateway, meta-server, scikit, transformers, swarm, chatgpt, cursor, copilot, codex, context-window, mcp-server-builder, chain-of-thought, sequential-thinking',
  },
  'Knowledge & Memory': {
    aliases:
      'knowledge base, knowledge, memory, knowledge management and memory, knowledge management, note taking, notes, second brain, decision memory, knowledge and memory',
    words:
      'knowledge, memory, memories, note, notes, obsidian, notion, logseq, zettelkasten, bookmark, bookmarks, remember, recall, knowledge-graph, ontology, roam, anki, wiki, confluence, evernote, readwise',
  },
  Productivity: {
    aliases:
      'productivity, project management, project and task management, project and product management, workflow, workflows, workflow orchestration, automation, utilities, product, product management, task management, calendar, office, personal, utilities and helpers, granular workflow bundle, workflow bundle, orchestration, operating system and command line, system tools, productivity organization, planning, workplace and productivity',
    words:
      'task, tasks, todo, todos, todoist, jira, linear, asana, trello, clickup, calendar, calendars, schedule, scheduling, reminder, reminders, productivity, project-management, project, projects, workflow, workflows, automation, automate, zapier, n8n, make, time, timezone, timer, clock, monday, basecamp, meeting, meetings, kanban, sprint, brainstorm, brainstorming, planning, plan, google-workspace, outlook, spreadsheet, sheets, office, calculator, clipboard, roadmap, ticketing, random, weather-time, macos, windows, shell, terminal, applescript, desktop',
  },
  Communication: {
    aliases:
      'communication and messaging, messaging, support service management, customer support, enterprise communication, email, chat, translation services, translation, customer success, translation and localization',
    words:
      'slack, discord, telegram, whatsapp, email, emails, gmail, imap, smtp, sms, chat, message, messages, messaging, teams, zoom, twilio, mail, inbox, notification, notifications, call, calls, voip, wechat, feishu, lark, dingtalk, line, signal, matrix, zendesk, intercom, helpdesk, translation, translate, localization, i18n, webex, contacts, phone, communication, communications',
  },
  'Social Media': {
    aliases: 'social media and content platforms, social, content platforms, social networks',
    words:
      'twitter, tweet, tweets, linkedin, instagram, facebook, reddit, tiktok, mastodon, bluesky, threads, social, xiaohongshu, weibo, bilibili, pinterest, hackernews, hacker-news, zhihu, quora, youtube-comments, influencer, farcaster, warpcast, lemmy',
  },
  'Data & Analytics': {
    aliases:
      'analytics, data, data analytics, data analysis, data analysis and business intelligence, data science tools, data visualization, data science, data engineering, business intelligence, customer data platforms, statistics, math',
    words:
      'analytics, data, dataset, datasets, dashboard, dashboards, chart, charts, visualization, visualizations, bi, metabase, tableau, powerbi, pandas, etl, statistics, csv, excel, plot, plots, plotting, report, reports, kafka, spark, airflow, dbt, databricks, statistical, mathematics, math, forecasting, segment, mixpanel, amplitude, posthog, survey, surveys, census, graph, math-solver',
  },
  Monitoring: {
    aliases: 'monitoring and observability, observability, logging, tracing, performance monitoring, apm, sre',
    words:
      'monitoring, monitor, observability, grafana, prometheus, datadog, sentry, logs, logging, metrics, tracing, telemetry, alert, alerts, alerting, uptime, opentelemetry, loki, newrelic, dynatrace, splunk, incident, pagerduty, langfuse, network-diagnostics',
  },
  Security: {
    aliases:
      'cybersecurity, security compliance and legal, security and compliance, security testing, compliance, appsec, ciso leadership, identity, authentication, privacy, governance, audit, blockchain security',
    words:
      'security, vulnerability, vulnerabilities, cve, pentest, penetration, exploit, malware, threat, threats, authentication, oauth, secrets, secret, encryption, audit, auditing, audits, compliance, sast, semgrep, fuzzing, fuzzer, forensics, osint, firewall, zero-trust, siem, phishing, password, passwords, vault, virustotal, nmap, shodan, burp, reverse-engineering, ghidra, ida, yara, attack, attacks, hardening, iam, cryptographic, cryptography, soc, sandboxing, ctf, privacy, guardrails, auth, permission, permissions, safety, captcha, gdpr, iso27001',
  },
  Finance: {
    aliases:
      'finance and crypto, fintech, payments, payment, accounting, trading, banking, economics, insurance, finance and fintech, personal finance',
    words:
      'finance, financial, stock, stocks, trading, market-data, payment, payments, stripe, paypal, invoice, invoices, invoicing, accounting, bank, banking, portfolio, quickbooks, xero, forex, investment, investments, budget, budgeting, tax, taxes, credit, expense, expenses, bookkeeping, razorpay, broker, hedge, earnings, sec-filings, economic, loan, valuation, revenue, billing, pricing, quant, yahoo-finance',
  },
  'Blockchain & Crypto': {
    aliases:
      'blockchain, crypto, web3, cryptocurrency, defi, native-tokens, token-transactions, token-transfers, token-swap, token-swaps, token-price, token-prices, token-balance, token-balances, erc20, nft, blockchain and crypto',
    words:
      'blockchain, crypto, cryptocurrency, bitcoin, ethereum, solana, web3, defi, nft, wallet, wallets, smart-contract, smart-contracts, evm, onchain, on-chain, binance, coinbase, coingecko, dex, solidity, polygon, uniswap, swap, xrpl, ton, sui, aptos, near, arbitrum, lightning, staking, hyperliquid, polymarket',
  },
  'Marketing & Sales': {
    aliases:
      'marketing, marketing growth, marketing sales and crm, sales, crm, business sales, business marketing, business growth, customer data, seo, advertising, growth, marketing skill, campaign analytics, cmo leadership, cro leadership, marketing and sales, commercial, lead generation',
    words:
      'marketing, seo, crm, hubspot, salesforce, campaign, campaigns, ads, advertising, sales, lead, leads, newsletter, mailchimp, copywriting, brand, branding, conversion, growth, pipedrive, outreach, prospecting, audience, ahrefs, semrush, landing-page, klaviyo, competitor, competitors, competitive, customer, customers, apollo, google-ads, gtm, funnel, retention, churn',
  },
  'E-commerce': {
    aliases: 'ecommerce, e commerce, commerce, shopping, retail',
    words:
      'ecommerce, e-commerce, shopify, woocommerce, shop, shopping, store, amazon, ebay, product-catalog, checkout, cart, etsy, magento, retail, order, orders, inventory, price-comparison, mercadolibre, taobao, bigcommerce, walmart, wildberries, ozon',
  },
  Business: {
    aliases:
      'business, professional apps, leadership, c level, executive leadership, board governance, board protocol, change management, chro leadership, cmo, coo leadership, cpo leadership, company operations, competitive strategy, culture leadership, founder development, international strategy, ma strategy, organizational health, hr, human resources, recruiting, c level advisor, small business, consulting, strategy, real estate, real estate and home services, supply chain, operations management, jobs',
    words:
      'business, company, companies, hr, recruiting, recruitment, hiring, job, jobs, resume, cv, erp, sap, odoo, enterprise, startup, strategy, real-estate, property, procurement, supply-chain, logistics, executive, ceo, cfo, cto, founder, board, stakeholder, employee, employees, payroll, okr, okrs, interview, vendor, leadership, manufacturing, shipping',
  },
  Documentation: {
    aliases: 'documentation, docs, technical writing, document, writing, content creation, content',
    words:
      'documentation, docs, readme, docstring, changelog, technical-writing, api-docs, writing, writer, context7, manual, manuals, reference, specification, adr, diagram, diagrams, mermaid, plantuml, llms, glossary, proofreading, editorial, blog, article, articles',
  },
  'Files & Documents': {
    aliases:
      'file systems, filesystems, files, file management, documents, document processing, pdf, content management systems, cms, cloud storage, files and documents, file system',
    words:
      'file, files, filesystem, folder, folders, directory, pdf, pdfs, docx, word, powerpoint, pptx, xlsx, markdown, ocr, document, documents, convert, converter, conversion, google-drive, dropbox, onedrive, box, sharepoint, wordpress, cms, contentful, sanity, strapi, drupal, ghost, pandoc, epub, latex, slides, presentation, presentations, archive, zip, upload, nextcloud, minio, paperless',
  },
  Design: {
    aliases:
      'design ux, ui, ux, ui ux, creative design, creative, art, ui design, graphics, design and ux, 3d, design creative, creative tools',
    words:
      'design, designs, designer, figma, ui, ux, css, tailwind, icon, icons, color, colors, typography, sketch, canva, blender, 3d, cad, svg, wireframe, prototype, mockup, shadcn, freecad, photoshop, illustrator, penpot, excalidraw, animation, canvas, animations, art, artwork, museum, openscad, fusion360, rhino, grasshopper, sketchup, solidworks, houdini',
  },
  'Media & Audio': {
    aliases:
      'media, media creation, multimedia processing, art and culture, art culture and media, video, audio, music, image generation, images, entertainment, media and audio, media and entertainment, speech, photography',
    words:
      'video, videos, audio, music, image, images, photo, photos, ffmpeg, youtube, spotify, tts, text-to-speech, speech, voice, transcription, transcript, transcripts, podcast, stable-diffusion, comfyui, elevenlabs, dalle, midjourney, replicate, movie, movies, film, subtitles, midi, ableton, media, streaming, plex, davinci, whisper, song, songs, lyrics, anime, tv, trakt, reaper, book, books, gif, meme, recorder, image-generation',
  },
  'Maps & Location': {
    aliases:
      'location services, location and maps, maps, geospatial, location, geo, weather, maps and location, environment and nature, gis',
    words:
      'map, maps, location, geocoding, geospatial, gis, weather, mapbox, openstreetmap, coordinates, amap, baidu-map, geolocation, forecast, places, satellite, earthquake, qgis, address, climate, tide, elevation, ip-geolocation',
  },
  Travel: {
    aliases: 'travel and transportation, travel transportation, transportation, boating, transport, aviation',
    words:
      'travel, flight, flights, hotel, hotels, airbnb, booking, transit, train, trains, trip, trips, itinerary, tourism, airline, airport, bus, railway-tickets, 12306, vehicle, vehicles, car, cars, parking, uber, aviation, marine, boat, route, routes, restaurant, restaurants',
  },
  'Science & Research': {
    aliases:
      'science, research, scientific, scientific skills, bio research, academic, bioinformatics, chemistry, physics, biology, science and research, research and science, scientific research, data science research',
    words:
      'research, scientific, science, arxiv, pubmed, paper, papers, academic, biology, bioinformatics, chemistry, genomics, protein, proteins, molecular, molecule, physics, scholar, literature, citation, citations, zotero, gene, genes, genome, rna, dna, quantum, astronomy, simulation, materials, crystal, lab, laboratory, experiment, experiments, scientist, scientists, hypothesis, nasa, matlab, sequencing, single-cell, phylogenetic, ecology',
  },
  Healthcare: {
    aliases: 'health, healthcare and life sciences, medical, medicine, fitness, wellness, bio, ra qm team, health and fitness',
    words:
      'health, healthcare, medical, clinical, patient, patients, fhir, drug, drugs, fitness, medicine, hospital, nutrition, dicom, disease, workout, strava, oura, garmin, diagnosis, mdr, fda, trial, biomedical, pharma, therapy, mental-health, meditation, recipe, recipes, food, sleep',
  },
  Education: {
    aliases: 'learning, education, teaching, training, courses, academy',
    words:
      'education, learning, course, courses, student, students, teaching, teacher, quiz, tutor, tutoring, tutorial, tutorials, canvas-lms, moodle, school, university, flashcard, flashcards, lesson, lessons, language-learning, dictionary, exam, curriculum, dnd-learning, bible, quran, quote, quotes, astrology, bazi, tarot',
  },
  Legal: {
    aliases: 'law, legal, legal and compliance, regulatory',
    words:
      'legal, law, laws, contract, contracts, lawyer, court, regulation, regulations, regulatory, legislation, patent, patents, trademark, litigation, nda, license-compliance, government, parliament, gov',
  },
  'Games & Sports': {
    aliases: 'gaming, games, game development, sports, gaming and entertainment, sport',
    words:
      'game, games, gaming, unity3d, unreal, godot, minecraft, roblox, steam, chess, sports, football, soccer, nba, nfl, mlb, baseball, pokemon, dice, dnd, f1, cricket, esports, puzzle, tic-tac-toe, rpg, league, balldontlie, golf, cycling, trivia',
  },
  'Smart Home & IoT': {
    aliases:
      'iot, smart home, embedded system, embedded systems, hardware and iot, hardware, home automation, robotics, internet of things, smart home and iot',
    words:
      'iot, smart-home, home-assistant, homeassistant, mqtt, arduino, esp32, raspberry, sensor, sensors, device, devices, hue, zigbee, robot, robots, robotics, ros, ros2, embedded, hardware, plc, modbus, 3d-printer, printer, octoprint, drone, fpga, serial, bluetooth, thermostat, tuya, tesla, kicad, camera, gpio, pcb, firmware, microcontroller',
  },
  Mobile: {
    aliases: 'mobile development, ios, android, mobile apps, mobile app development, react native, expo',
    words:
      'mobile, ios, android, swift, swiftui, flutter, react-native, expo, adb, simulator, app-store, testflight, iphone, appium, kotlin-android, emulator, eas, jetpack',
  },
}

/** Every category that an item can have, besides Uncategorized. */
export const CATEGORIES: readonly string[] = Object.keys(VOCABULARY)

const fold = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll('&', ' and ')
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()

const list = (text: string): readonly string[] => text.split(',').map((part) => part.trim())

const BY_SPELLING: ReadonlyMap<string, string> = new Map(
  Object.entries(VOCABULARY).flatMap(([category, { aliases }]) =>
    [category, ...list(aliases)].map((spelling) => [fold(spelling), category] as const),
  ),
)

/**
 * The category that a source's spelling means; null when it means none ("other", "general") or one
 * that is not known.
 */
export function categoryOf(spelling: string): string | null {
  return BY_SPELLING.get(fold(spelling)) ?? null
}

/** A word of two categories speaks for the one that stands first. */
const BY_WORD: ReadonlyMap<string, number> = new Map(
  Object.values(VOCABULARY)
    .flatMap(({ words }, index) => list(words).map((word) => [word, index] as const))
    .reverse(),
)

/** Weight of a match by field: a name says what an item is, a description also what it mentions. */
const WEIGHTS = { name: 4, tags: 3, description: 1 }

/** Words that nearly every record of the directory has: they count least. */
const COMMON = new Set([
  'code',
  'api',
  'apis',
  'agent',
  'agents',
  'ai',
  'model',
  'models',
  'claude',
  'data',
  'llm',
  'llms',
  'file',
  'files',
  'github',
  'search',
  'project',
  'projects',
  'workflow',
  'workflows',
  'automation',
  'cli',
  'time',
  'make',
  'line',
  'prompt',
  'prompts',
  'test',
  'package',
  'google',
  'cursor',
  'python',
  'typescript',
  'reference',
  'gateway',
  'proxy',
  'url',
  'fetch',
  'json',
  'plan',
  'chat',
  'graph',
  'learning',
  'device',
  'context',
  'developer',
  'developers',
  'development',
  'report',
  'reports',
  'secret',
  'template',
  'hooks',
  'directory',
  'manual',
  // Of a model or a person, of a shop or a list: the words beside them say which.
  'message',
  'messages',
  'order',
  'orders',
  'communication',
])

/**
 * Names of products, of the words above. A name that has one and no word of another category says what an item is,
 * whatever folder a source has put it in: one has Trello under communication.
 */
export const PRODUCT_NAMES: ReadonlySet<string> = new Set(
  list(
    'postgres, postgresql, mysql, mariadb, sqlite, mongodb, redis, neo4j, clickhouse, snowflake, bigquery, duckdb, elasticsearch, opensearch, qdrant, pinecone, milvus, weaviate, mssql, dynamodb, cassandra, couchbase, cockroachdb, questdb, influxdb, surrealdb, supabase, airtable, kubernetes, k8s, terraform, ansible, jenkins, vercel, netlify, heroku, digitalocean, argocd, pulumi, openshift, proxmox, playwright, puppeteer, selenium, gitlab, bitbucket, gitea, postman, openai, ollama, deepseek, huggingface, obsidian, notion, logseq, anki, evernote, readwise, confluence, jira, asana, trello, clickup, todoist, monday, basecamp, slack, discord, telegram, whatsapp, gmail, twilio, wechat, dingtalk, zendesk, intercom, webex, twitter, linkedin, instagram, facebook, reddit, tiktok, mastodon, bluesky, xiaohongshu, weibo, bilibili, pinterest, hackernews, hacker-news, farcaster, warpcast, metabase, tableau, powerbi, databricks, mixpanel, amplitude, posthog, grafana, prometheus, datadog, sentry, newrelic, dynatrace, splunk, pagerduty, langfuse, virustotal, shodan, nmap, ghidra, semgrep, stripe, paypal, quickbooks, xero, razorpay, bitcoin, ethereum, solana, binance, coinbase, coingecko, uniswap, hyperliquid, polymarket, hubspot, salesforce, mailchimp, pipedrive, klaviyo, ahrefs, semrush, shopify, woocommerce, etsy, magento, ebay, dropbox, onedrive, sharepoint, box, wordpress, contentful, strapi, drupal, nextcloud, figma, canva, blender, freecad, photoshop, illustrator, penpot, excalidraw, openscad, rhino, grasshopper, sketchup, solidworks, houdini, youtube, spotify, elevenlabs, comfyui, ableton, plex, ffmpeg, midjourney, reaper, trakt, mapbox, openstreetmap, qgis, airbnb, arxiv, pubmed, zotero, matlab, strava, oura, garmin, minecraft, roblox, godot, chess, arduino, esp32, kicad, octoprint, flutter, testflight',
  ),
)

/** The category of the products in a name; null when it has none, or a word of another category. */
function productCategory(name: string): string | null {
  const known = [...wordsOf(name)].filter((word) => BY_WORD.has(word) && !COMMON.has(word))
  const products = known.filter((word) => PRODUCT_NAMES.has(word))
  if (products.length === 0) return null
  // The news of `Hacker News`, and the AI of `OpenAI`, are no other words.
  const others = known.filter((word) => !products.some((product) => product !== word && product.includes(word)))
  const [category, another] = new Set(others.map((word) => BY_WORD.get(word)))
  return category === undefined || another !== undefined ? null : (CATEGORIES[category] ?? null)
}

/** What rules look at. */
type Described = { readonly name: string; readonly tags: readonly string[]; readonly description: string }

/**
 * The category that the words of a record speak for, and how loud; null when they speak for none. Equal scores:
 * the one named first above.
 */
function wordScore(record: Described): { readonly category: string | null; readonly score: number } {
  const scores = new Array<number>(CATEGORIES.length).fill(0)
  const places = [
    [wordsOf(record.name), WEIGHTS.name],
    [wordsOf(record.tags.join(' ; ')), WEIGHTS.tags],
    [wordsOf(record.description.slice(0, 400)), WEIGHTS.description],
  ] as const
  for (const [words, weight] of places) {
    for (const word of words) {
      const index = BY_WORD.get(word)
      if (index !== undefined) scores[index] = (scores[index] ?? 0) + weight * (COMMON.has(word) ? 0.3 : 1)
    }
  }
  const best = Math.max(...scores)
  return { category: best >= 1 ? (CATEGORIES[scores.indexOf(best)] ?? null) : null, score: best }
}

/**
 * Single words, and neighbours joined with a hyphen: `smart home` is `smart`, `home` and
 * `smart-home`. Camel case is split, and whole as well: `OpenAI`, `YouTube`.
 */
function wordsOf(text: string): ReadonlySet<string> {
  return new Set([text.replace(/([a-z0-9])([A-Z])/g, '$1 $2'), text].flatMap(wordsAndNeighbours))
}

function wordsAndNeighbours(text: string): readonly string[] {
  const words = text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
  return [...words, ...words.slice(1).map((word, index) => `${words[index]}-${word}`)]
}

/**
 * Catch-all categories of sources: Docker's registry has browsers and search engines under
 * `devops`, others have Jira under customer support and NASA under art. A matching rule takes
 * precedence.
 */
const CATCH_ALLS: ReadonlySet<string> = new Set(
  list(
    'devops, productivity, tools, mcp tools, system tools, professional apps, ai systems, dev tools, web services, aggregators, art and culture, art culture and media, support service management, utilities and helpers, frameworks, ai and llm integration, integration, ai, media creation',
  ),
)

/** What a rule must score to decide before a catch-all: one word of the name, or a tag. */
const SURE_SCORE = 3

/**
 * The category of a record: of the `curated` spelling, else of the products in its name, else of the first
 * spelling that means one, else by its words, else Uncategorized. A catch-all counts where the words are silent, unless it is the `curated` spelling.
 */
export function categorise(
  spellings: readonly string[],
  record: Described,
  curated?: string,
): { readonly category: string; readonly spelling: string | null } {
  const meant = spellings.flatMap((spelling) => {
    const category = categoryOf(spelling)
    return category === null ? [] : [{ category, spelling }]
  })
  const isCurated = meant.some(({ spelling }) => spelling === curated)
  const ofProduct = isCurated ? null : productCategory(record.name)
  if (ofProduct !== null) return { category: ofProduct, spelling: null }
  const particular = meant.find(({ spelling }) => spelling === curated || !CATCH_ALLS.has(fold(spelling)))
  if (particular) return particular
  const [general] = meant
  const unclear = spellings.filter((spelling) => categoryOf(spelling) === null)
  const byWords = wordScore({ ...record, tags: [...record.tags, ...unclear] })
  if (general)
    return byWords.category !== null && byWords.score >= SURE_SCORE ? { category: byWords.category, spelling: null } : general
  return { category: byWords.category ?? UNCATEGORIZED, spelling: null }
}
