import type { Case } from '../../../cli/trust/case.ts'
import { casesOf, type Row } from './labelled-case.ts'

const hit = (indicator: string) => ({ feed: 'openphish', scope: 'host' as const, indicator })
const tenants: readonly Row[] = [
  ['docs-team.github.io', 'popular', 'F', 'CS !PED'],
  ['docs-team.github.io', 'popular', 'L', 'SE !PCD'],
  ['annas-recipes.wordpress.com', 'popular', 'F', 'CS !PED'],
  ['oldnews.blogspot.com', 'popular', 'F', 'CS !PED'],
  ['metamask-restore.pages.dev', 'popular', 'FL', 'SED !PC'],
  ['paypal-login.vercel.app', 'popular', 'FL', 'SED !PC'],
  ['netflix-billing.netlify.app', 'popular', 'F', 'SED !PC'],
  ['microsoft-sharepoint.web.app', 'popular', 'L', 'SED !PC'],
  ['my-portfolio.web.app', 'popular', 'F', 'CS !PED'],
  ['shop-of-jane.myshopify.com', 'popular', 'F', 'CS !PED'],
  ['shop-of-jane.myshopify.com', 'popular', 'Y', 'SE !PD'],
  ['a1b2c3.r2.dev', 'popular', 'F', 'CS !PD'],
  ['evil-kit.weebly.com', 'popular', 'FL', 'ED !PC', { hits: [hit('evil-kit.weebly.com')] }],
  ['honest-kit.weebly.com', 'popular', 'F', 'CS !PED'],
  ['amazon-prize.s3.amazonaws.com', 'popular', 'F', 'SED !PC'],
  ['reports-2026.s3.eu-west-1.amazonaws.com', 'popular', 'F', 'CS !PED'],
  ['https://sites.google.com/view/bank-login-verify', 'popular', 'L', 'CSE !PD'],
  ['https://sites.google.com/view/our-school', 'popular', 'F', 'PC !ED'],
  ['github.io', 'popular', 'F', 'PCS !D'],
  ['coinbase-support.azurewebsites.net', 'popular', 'L', 'SED !PC'],
  ['student-project.onrender.com', 'popular', 'F', 'CS !PED'],
]

const parked: readonly Row[] = [
  [
    'summer-hats-online.com',
    'mature',
    'F',
    'CS !PD',
    { servers: ['ns1.sedoparking.com', 'ns2.sedoparking.com'], hasMail: false },
  ],
  [
    'summer-hats-online.com',
    'mature',
    'L',
    'SE !PCD',
    { servers: ['ns1.sedoparking.com', 'ns2.sedoparking.com'], hasMail: false },
  ],
  ['buy-this-name-today.net', 'startup', 'F', 'CS !PD', { servers: ['ns1.bodis.com', 'ns2.bodis.com'], hasMail: false }],
  ['old-company-name.com', 'small', 'F', 'CS !PD', { servers: ['ns1.dan.com', 'ns2.dan.com'], hasMail: false }],
  ['lapsed-charity.org', 'small', 'F', 'CS !PD', { addresses: ['91.195.240.94'], hasMail: false }],
  ['taken-botnet-name.com', 'mature', 'FL', 'SED !PC', { servers: ['ns1.sinkhole.shadowserver.org'], hasMail: false }],
  ['seized-market.net', 'mature', 'F', 'SED !PC', { servers: ['ns1.seizedservers.com', 'ns2.seizedservers.com'] }],
  ['on-hold-shop.com', 'month', 'F', 'SED !PC', { statuses: ['server hold'], hasMail: false }],
  ['redemption-club.org', 'small', 'F', 'CS !PD', { statuses: ['redemption period'] }],
  ['pending-delete-news.com', 'mature', 'F', 'CS !PD', { statuses: ['pending delete'] }],
  ['caught-name.com', 'newborn', 'F', 'CSE !PD', { firstCertDays: 3_000 }],
  ['moved-last-week.com', 'small', 'F', 'PCS !ED', { transferredDays: 6 }],
]

const redirectors: readonly Row[] = [
  ['https://bit.ly/3abcd', 'popular', 'F', 'CS !PD'],
  ['https://bit.ly/3abcd', 'popular', 'L', 'SE !PC'],
  ['https://tinyurl.com/yx2', 'popular', 'W', 'SE !PC'],
  ['https://t.co/Ab12', 'popular', 'F', 'CS !PD'],
  ['bit.ly', 'popular', 'F', 'PC !ED'],
  [
    'https://bit.ly/good',
    'popular',
    'F',
    'PC !SED',
    { redirects: { end: 'answered', hops: [['https://www.bbc.co.uk/news', 'popular']] } },
  ],
  [
    'https://bit.ly/bad',
    'popular',
    'FL',
    'ED !PC',
    { redirects: { end: 'answered', hops: [['https://paypa1-secure.com/login', 'kit']] } },
  ],
  [
    'https://tinyurl.com/chain',
    'popular',
    'F',
    'D !PC',
    {
      redirects: {
        end: 'answered',
        hops: [
          ['https://bit.ly/second', 'popular'],
          [
            'https://usps.com-gotrack.top/pay',
            'kit',
            { hits: [hit('usps.com-gotrack.top'), { feed: 'phishtank', scope: 'host', indicator: 'x' }] },
          ],
        ],
      },
    },
  ],
  [
    'https://is.gd/inner',
    'popular',
    'F',
    'D !PCS',
    { redirects: { end: 'blocked', hops: [['http://127.0.0.1:8080/admin', 'nothing']] } },
  ],
  [
    'https://bit.ly/metadata',
    'popular',
    'F',
    'D !PCS',
    { redirects: { end: 'blocked', hops: [['http://169.254.169.254/latest', 'nothing']] } },
  ],
  ['https://bit.ly/loop', 'popular', 'F', 'CS !PD', { redirects: { end: 'loop', hops: [['https://bit.ly/loop2', 'popular']] } }],
  ['https://bit.ly/slow', 'popular', 'F', 'CS !PD', { redirects: { end: 'timeout', hops: [] } }],
  [
    'https://bit.ly/young',
    'popular',
    'L',
    'ED !PC',
    { redirects: { end: 'answered', hops: [['https://sunny-meadow-shop.eu/', 'kit']] } },
  ],
]

const addresses: readonly Row[] = [
  ['127.0.0.1', 'nothing', 'F', 'D !PCS'],
  ['10.1.2.3', 'nothing', 'FL', 'D !PCS'],
  ['192.168.0.1', 'nothing', 'F', 'D !PCS'],
  ['169.254.169.254', 'nothing', 'F', 'D !PCS'],
  ['http://[::1]/', 'nothing', 'F', 'D !PCS'],
  ['http://[::7f00:1]/', 'nothing', 'F', 'D !PCS'],
  ['http://[::ffff:10.0.0.1]/', 'nothing', 'F', 'D !PCS'],
  ['http://0x7f.1/', 'nothing', 'F', 'D !PCS'],
  ['http://2130706433/', 'nothing', 'F', 'D !PCS'],
  ['http://[fd00::5]/', 'nothing', 'F', 'D !PCS'],
  ['http://[64:ff9b::a00:1]/', 'nothing', 'F', 'D !PCS'],
  ['localhost', 'nothing', 'F', 'D !PCS'],
  ['printer.local', 'nothing', 'F', 'D !PCS'],
  ['metadata.google.internal', 'nothing', 'F', 'ED !PC'],
  ['10-0-0-1.rebind-service.net', 'small', 'FL', 'D !PCS', { addresses: ['10.0.0.1'] }],
  ['intranet.quiet-garden.net', 'small', 'F', 'D !PCS', { addresses: ['192.168.7.7'] }],
  ['mixed-answers.net', 'mature', 'F', 'D !PCS', { addresses: ['93.184.216.34', '127.0.0.1'] }],
  ['maps-to-metadata.com', 'mature', 'F', 'D !PCS', { addresses: ['169.254.169.254'] }],
  ['six-inside.net', 'mature', 'F', 'D !PCS', { addresses: ['fd12::1'] }],
  ['8.8.8.8', 'nothing', 'F', 'CSE !PD'],
  ['facebookcorewwwi.onion', 'nothing', 'F', 'SE !PC'],
]

const unavailable: readonly Row[] = [
  ['wikipedia.org', 'popular', 'F', 'PC !SED', { missing: ['rdap'] }],
  ['wikipedia.org', 'popular', 'L', 'PC !ED', { missing: ['rdap'] }],
  ['bbc.co.uk', 'popular', 'F', 'C !SED', { missing: ['feeds'] }],
  ['spotify.com', 'popular', 'F', 'PC !SED', { missing: ['ct'] }],
  ['github.com', 'popular', 'F', 'C !ED', { missing: ['rdap', 'dns', 'tls', 'ct', 'feeds'] }],
  ['riverside-pottery.com', 'small', 'F', 'CS !PED', { missing: ['rdap', 'ct'] }],
  ['riverside-pottery.com', 'small', 'F', 'CSE !PD', { missing: ['rdap', 'dns', 'tls', 'ct', 'feeds', 'popularity'] }],
  ['riverside-pottery.com', 'small', 'Y', 'SE !PCD', { missing: ['rdap', 'dns', 'tls', 'ct', 'feeds', 'popularity'] }],
  ['paypal-secure-check.com', 'kit', 'F', 'SE !PCD', { missing: ['rdap', 'feeds'] }],
  ['paypal-secure-check.com', 'kit', 'L', 'ED !PCS', { missing: ['popularity'] }],
  ['sunny-meadow-farm.eu', 'kit', 'F', 'CS !PD', { missing: ['ct'] }],
  ['lakeside-chess.org', 'mature', 'F', 'CS !PED', { missing: ['tls'] }],
  ['lakeside-chess.org', 'mature', 'F', 'CSE !PD', { missing: ['dns', 'tls'] }],
  ['feed-down-news.com', 'national', 'F', 'C !SED', { missing: ['feeds'] }],
]

const faults: readonly Row[] = [
  ['village-library.org', 'small', 'F', 'C !PED', { tls: { validTo: '2026-11-10T00:00:00Z' } }],
  ['village-library.org', 'small', 'L', 'CSE !PD', { tls: { validTo: '2026-11-10T00:00:00Z' } }],
  ['wikipedia.org', 'popular', 'F', 'C !PED', { tls: { validTo: '2026-11-18T00:00:00Z' } }],
  ['self-hosted-wiki.net', 'mature', 'F', 'CS !PD', { tls: { selfSigned: true, chainTrusted: false } }],
  ['wrong-name-shop.com', 'startup', 'F', 'CS !PD', { tls: { hostnameMatches: false, san: ['other.example'] } }],
  ['bank-login-secure.net', 'kit', 'FL', 'ED !PC', { tls: { selfSigned: true, chainTrusted: false } }],
  [
    'flux-host-one.com',
    'month',
    'F',
    'SED !PC',
    {
      ttl: 60,
      hasMail: false,
      addresses: ['5.1.1.1', '31.2.2.2', '46.3.3.3', '77.4.4.4', '91.5.5.5', '109.6.6.6', '178.7.7.7', '188.8.8.8'],
    },
  ],
  ['gone-name.net', 'mature', 'F', 'CSE !PD', { dns: 'nxdomain' }],
  ['broken-servers.org', 'small', 'F', 'CSE !PD', { dns: 'servfail' }],
  ['bogus-signatures.org', 'small', 'F', 'CSE !PD', { dnssec: 'bogus' }],
  ['xkqjzvwpfhtgbm.com', 'kit', 'FL', 'SED !PC'],
  ['kq7x2m9z4w1p8v.net', 'kit', 'F', 'SED !PC'],
  ['xqzwvkjp.com', 'kit', 'L', 'SED !PC'],
]

export const hostingCases = async (): Promise<readonly Case[]> => [
  ...(await casesOf('tenants', 'the age of a platform is not that of its tenants', tenants)),
  ...(await casesOf('parked and taken', 'nobody’s content, or somebody else’s now', parked)),
  ...(await casesOf('redirectors', 'a short URL is worth what it leads to', redirectors)),
  ...(await casesOf('addresses', 'private networks are closed, however they are written', addresses)),
  ...(await casesOf('missing evidence', 'what does not answer neither denies nor approves', unavailable)),
  ...(await casesOf('faults', 'faults of operation are no threat, and patterns of campaigns are one', faults)),
]
