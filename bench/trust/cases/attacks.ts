import type { Case } from '../../../cli/trust/case.ts'
import { casesOf, type Row } from './labelled-case.ts'

const STOPPED = 'ED !PC'
const APART = 'SED !PC'
const lookAlikes: readonly Row[] = [
  ['paypa1-secure.com', 'kit', 'FL', STOPPED],
  ['paypal-account-limited.com', 'kit', 'FL', STOPPED],
  ['amaz0n-prime-renewal.com', 'kit', 'FL', STOPPED],
  ['netflix-billing-update.info', 'kit', 'FL', STOPPED],
  ['microsoft-365-login.online', 'kit', 'L', STOPPED],
  ['micros0ft-teams.top', 'kit', 'F', STOPPED],
  ['usps.com-gotrack.top', 'kit', 'FL', STOPPED],
  ['chase.com-secure07.icu', 'kit', 'FL', STOPPED],
  ['apple.com-id.support', 'kit', 'FL', STOPPED],
  ['dhl.com-track.top', 'kit', 'F', STOPPED],
  ['ebay-order-issue.com', 'kit', 'F', APART],
  ['binance-withdraw-confirm.com', 'kit', 'L', STOPPED],
  ['metamask-wallet-restore.io', 'kit', 'F', STOPPED],
  ['ledgerlive-update.com', 'kit', 'F', APART],
  ['steamcommunlty.com', 'kit', 'FL', STOPPED],
  ['whatsapp-web-scan.xyz', 'kit', 'F', STOPPED],
  ['lnstagram-verify.com', 'kit', 'L', STOPPED],
  ['linkedln.com', 'oldKit', 'F', APART],
  ['gogle-accounts.net', 'oldKit', 'F', APART],
  ['postbank-kundenservice.top', 'kit', 'L', STOPPED],
  ['sparkasse-tan-verifizierung.com', 'kit', 'L', STOPPED],
  ['correos-paquete-aduana.top', 'kit', 'F', STOPPED],
  ['royalmail-redelivery-fee.com', 'kit', 'F', STOPPED],
  ['caixabank-seguridad.info', 'kit', 'L', STOPPED],
  ['docusign-review-document.live', 'kit', 'F', STOPPED],
  ['dropbox-shared-file.site', 'kit', 'F', STOPPED],
  // Old ones: shops of fans, resellers and critics.
  ['paypalsucks-archive.org', 'small', 'F', 'CS !PD'],
  ['unofficial-minecraft-wiki.net', 'small', 'F', 'PCS !ED'],
  ['ikea-hackers-forum.net', 'small', 'F', 'PCS !ED'],
  ['iphone-repair-shop-hamburg.de', 'undatedSmall', 'F', 'PCS !ED'],
]

const outside: readonly Row[] = [
  ['strava-account-verify.com', 'kit', 'FL', APART],
  ['duolingo-login-verify.top', 'kit', 'FL', APART],
  ['soundcloud.com-login.top', 'kit', 'F', APART],
  ['goodreads-signin.com', 'kit', 'L', APART],
  ['wikipedai.org', 'kit', 'F', APART],
  ['stackoverfow.com', 'kit', 'F', APART],
  ['tripadvisor-reward.top', 'kit', 'F', APART],
  ['deviantart-account-login.xyz', 'kit', 'L', APART],
  ['geocaching.com-secure.icu', 'kit', 'F', APART],
  ['livejournal-verify-account.com', 'kit', 'L', APART],
  ['imgurr.com', 'oldKit', 'F', 'CSED !P'],
  ['archive.org-download.top', 'kit', 'F', APART],
]

const idn: readonly Row[] = [
  ['аррӏе.com', 'kit', 'FL', APART],
  ['pаypal.com', 'kit', 'FL', APART],
  ['gооgle.com', 'oldKit', 'F', APART],
  ['microsоft-login.com', 'kit', 'L', APART],
  ['faceboοk.com', 'kit', 'F', APART],
  ['аmazon.com', 'small', 'F', 'SE !PC'],
  ['bınance.com', 'kit', 'F', APART],
  ['netflíx.com', 'kit', 'F', APART],
  ['paypál-login.com', 'kit', 'L', APART],
  ['ɡithub.com', 'kit', 'F', APART],
  ['coinbаse.com', 'kit', 'L', APART],
  ['xn--80ak6aa92e.com', 'kit', 'F', APART],
  // Honest names.
  ['müller.de', 'undatedNational', 'FL', KNOWN()],
  ['bäckerei-schröder.de', 'undatedSmall', 'F', 'PC !ED'],
  ['café-central.fr', 'small', 'F', 'PC !ED'],
  ['кинопоиск.рф', 'nationalWithoutData', 'F', KNOWN()],
  ['президент.рф', 'popularWithoutData', 'F', KNOWN()],
  ['東京観光.jp', 'nationalWithoutData', 'F', KNOWN()],
  ['høyskolen.no', 'national', 'F', KNOWN()],
  ['łódź-noclegi.pl', 'small', 'F', 'PC !ED'],
  ['ελλάδα-νέα.gr', 'smallWithoutData', 'F', 'PCS !ED'],
  ['españa-viajes.es', 'mature', 'F', 'PC !ED'],
  ['fuß-ball.de', 'undatedSmall', 'F', 'PC !ED'],
  ['한국여행.kr', 'smallWithoutData', 'F', 'PCS !ED'],
]

function KNOWN(): string {
  return 'PC !SED'
}

const hit = (feed: string, indicator: string, more: object = {}) => ({ feed, scope: 'host' as const, indicator, ...more })
const listed: readonly Row[] = [
  ['invoice-viewer-app.com', 'kit', 'FL', 'D !PCS', { hits: [hit('openphish', 'x'), hit('phishtank', 'x')] }],
  [
    'update-flash-now.top',
    'kit',
    'FW',
    'D !PCS',
    { hits: [hit('urlhaus', 'x', { category: 'malware' }), hit('threatfox', 'x')] },
  ],
  ['sellers-corner-blog.com', 'startup', 'F', 'ED !PC', { hits: [hit('openphish', 'x')] }],
  ['sellers-corner-blog.com', 'startup', 'L', 'ED !PCS', { hits: [hit('openphish', 'x')] }],
  ['bbc.co.uk', 'popular', 'F', 'PCS !ED', { hits: [hit('phishtank', 'x')] }],
  ['spiegel.de', 'undatedPopular', 'F', 'PCS !ED', { hits: [hit('openphish', 'x')] }],
  ['wordpress.org', 'popular', 'F', 'PCS !ED', { hits: [hit('urlhaus', 'x')] }],
  ['old-choir-society.org', 'small', 'F', 'CSED !P', { hits: [hit('openphish', 'x'), hit('phishtank', 'x')] }],
  ['old-choir-society.org', 'small', 'F', 'PC !ED', { hits: [hit('openphish', 'x', { state: 'offline', lastSeenDays: 200 })] }],
  ['gardenclub-essex.org', 'small', 'F', 'PC !ED', { hits: [hit('urlhaus', 'x', { state: 'unknown', lastSeenDays: 90 })] }],
  ['c2-relay-node.net', 'month', 'F', 'ED !PC', { hits: [hit('threatfox', 'x', { category: 'c2', scope: 'domain' })] }],
  ['45.9.148.20', 'nothing', 'F', 'E !PCS', { missing: [], hits: [hit('urlhaus', '45.9.148.20')] }],
  [
    '45.9.148.21',
    'nothing',
    'F',
    'D !PCS',
    { missing: [], hits: [hit('urlhaus', '45.9.148.21'), hit('threatfox', '45.9.148.21')] },
  ],
  ['45.9.148.22', 'nothing', 'F', 'CSE !PD', { missing: [] }],
]

const url = (feed: string, indicator: string, more: object = {}) => ({ feed, scope: 'url' as const, indicator, ...more })
const EXE = 'https://raw.githubusercontent.com/u-evil/r/main/x.exe'
const KIT = 'https://stmary-primary.org/wp-content/plugins/login/index.html'
const FORM = 'https://docs.google.com/forms/d/e/1FAIpQLSfake/viewform'
const urls: readonly Row[] = [
  [EXE, 'popular', 'FW', 'D !PC', { hits: [url('urlhaus', EXE, { category: 'malware' })] }],
  ['https://raw.githubusercontent.com/u-evil/other/main/readme.md', 'popular', 'F', 'SE !P', { hits: [url('urlhaus', EXE)] }],
  ['https://raw.githubusercontent.com/u-evil/other/main/tool.bin', 'popular', 'W', 'ED !PC', { hits: [url('urlhaus', EXE)] }],
  ['https://raw.githubusercontent.com/honest/r/main/readme.md', 'popular', 'F', 'PC !ED', { hits: [url('urlhaus', EXE)] }],
  [KIT, 'small', 'FL', 'D !PC', { hits: [url('openphish', KIT)] }],
  ['https://stmary-primary.org/term-dates', 'small', 'F', 'CS !PD', { hits: [url('openphish', KIT)] }],
  [
    'https://stmary-primary.org/term-dates',
    'small',
    'F',
    'SE !PD',
    { hits: [url('openphish', KIT), url('phishtank', `${KIT}?a=1`)] },
  ],
  [
    'https://stmary-primary.org/wp-content/plugins/login/index.html?id=77',
    'small',
    'L',
    'D !PC',
    { hits: [url('openphish', KIT)] },
  ],
  ['http://www.stmary-primary.org/wp-content/plugins/login/index.html', 'small', 'F', 'D !PC', { hits: [url('openphish', KIT)] }],
  [KIT, 'small', 'F', 'CS !PD', { hits: [url('openphish', KIT, { state: 'offline', lastSeenDays: 60 })] }],
  [FORM, 'popular', 'FL', 'D !PC', { hits: [url('openphish', FORM)] }],
  ['https://docs.google.com/forms/d/e/1FAIpQLShonest/viewform', 'popular', 'F', 'PC !ED', { hits: [url('openphish', FORM)] }],
  ['https://quiet-garden.net/go?u=https://paypa1-secure-login.com/', 'small', 'F', 'SE !PC'],
  ['https://quiet-garden.net/go?u=http://169.254.169.254/latest', 'small', 'F', 'SED !PC'],
  ['https://quiet-garden.net/share?u=https://en.wikipedia.org/wiki/Bee', 'small', 'F', 'PC !SED'],
  ['https://github.com/u/r/releases/download/v2/setup.exe', 'popular', 'W', 'CSE !PD'],
  ['https://quiet-garden.net/manual.pdf', 'small', 'W', 'PC !ED'],
  ['https://python.org/ftp/python/3.13/python.exe', 'popular', 'W', 'PC !ED'],
  ['https://evil-drop.top/a/b.exe', 'kit', 'W', 'ED !PC', { hits: [url('urlhaus', 'https://evil-drop.top/a/')] }],
  ['https://paypal.com@evil-drop.top/login', 'kit', 'L', 'ED !PC'],
]

export const attackCases = async (): Promise<readonly Case[]> => [
  ...(await casesOf('look-alikes', 'imitates a brand of the registry', lookAlikes)),
  ...(await casesOf('look-alikes of popular names', 'imitates a name outside of the registry', outside)),
  ...(await casesOf('internationalised names', 'foreign letters deceive, or are how a language is written', idn)),
  ...(await casesOf('listed hosts', 'feeds list the host', listed)),
  ...(await casesOf('listed URLs', 'feeds list a URL, or a URL carries another', urls)),
]
