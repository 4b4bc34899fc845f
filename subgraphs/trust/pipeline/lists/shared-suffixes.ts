/**
 * Builders of free sites, shops and blogs with a subdomain per user that the public suffix list
 * lacks, from the documentation of the services. Workspaces of companies (`slack.com`,
 * `sharepoint.com`) are left out: their users are not strangers.
 */
export const SHARED_SUFFIXES: readonly string[] = (
  '000webhostapp.com angelfire.com bandcamp.com beepworld.de bigcartel.com canalblog.com cargo.site clickfunnels.com creatorlink.net dorik.io ' +
  'e-monsite.com fc2.com glitch.me godaddysites.com hpage.com hubspotpagebuilder.com itch.io jimdo.com jimdofree.com jimdosite.com livejournal.com loca.lt ' +
  'mailchimpsites.com myportfolio.com mystrikingly.com narod.ru neocities.org over-blog.com site123.me softr.app storenvy.com strikingly.com substack.com ' +
  'tilda.ws tistory.com tripod.com tumblr.com typepad.com ucoz.ru webador.com webnode.com webwave.dev weebly.com wikidot.com wordpress.com zyrosite.com'
).split(' ')

/**
 * Labels of authorities' suffixes. The public suffix list also has suffixes that authorities share
 * out among themselves (`service.gov.uk`, `gov.ru`): nobody else gets a name there.
 */
export const AUTHORITY_LABELS: readonly string[] = 'gob gouv gov govt gub gv mil'.split(' ')

/** Labels below builders that are the company's own; so are labels of two letters, which are languages. */
export const OWN_LABELS: readonly string[] = (
  'about account accounts api app apps assets auth billing blog careers cdn community dashboard dev developer developers docs download editor email engineering ' +
  'files forum forums help home images img jobs learn login mail media mobile my news new pages partners press public-api secure shop signup static status store ' +
  'support themes training wiki www'
).split(' ')
