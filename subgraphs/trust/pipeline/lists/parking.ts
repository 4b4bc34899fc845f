/**
 * Where names lead that have no content of their own. From the companies' documentation and from
 * published research on parking and sinkholes; as of November 2026.
 */

/** Name servers of companies that show advertisements on names without content. */
export const PARKING_SERVERS: readonly string[] = (
  '1and1-parking.com above.com afternic.com bodis.com buydomains.com cashparking.com dan.com domainapps.com domainparkingserver.net domainsponsor.com ' +
  'dsredirection.com expirednamesdns.com fabulous.com hugedomains.com internettraffic.com namebrightdns.com namedrive.com parkingcrew.net parking-page.net ' +
  'parklogic.com pendingrenewaldeletion.com rookdns.com sav.com sedoparking.com skenzo.com smartname.com undeveloped.com uniregistrymarket.link ' +
  'voodoo.com ztomy.com'
).split(' ')

/** Networks whose addresses answer for parked names only. */
export const PARKING_NETWORKS: readonly string[] = [
  '64.190.62.0/23', // Sedo
  '91.195.240.0/23', // Sedo
  '103.224.182.0/23', // Above.com
  '103.224.212.0/23', // Above.com
  '185.53.176.0/22', // ParkingCrew (Team Internet)
  '199.59.240.0/22', // Bodis
  '204.11.56.0/23', // Confluence Networks (Skenzo)
  '208.91.196.0/23', // Confluence Networks (Skenzo)
]

/** Name servers of those who take over names of malware and phishing. */
export const SINKHOLE_SERVERS: readonly string[] = (
  'arbor-sinkhole.net conficker-sinkhole.com conficker-sinkhole.net conficker-sinkhole.org csof.net honeybots.ru microsoftinternetsafety.net seized.gov ' +
  'seizedservers.com sinkdns.org sinkhole.cert.pl sinkhole.ch sinkhole.shadowserver.org sinkhole.tech suspended-domain.com torpig-sinkhole.org zinkhole.org'
).split(' ')

/** Networks of sinkholes. */
export const SINKHOLE_NETWORKS: readonly string[] = [
  '148.81.111.64/26', // CERT Polska
  '195.22.26.192/26', // AnubisNetworks
  '199.2.137.0/24', // Microsoft Digital Crimes Unit
  '207.46.90.0/24', // Microsoft Digital Crimes Unit
  '131.253.18.11/32', // Microsoft Digital Crimes Unit
  '131.253.18.12/32', // Microsoft Digital Crimes Unit
  '184.105.192.2/32', // Shadowserver
]
