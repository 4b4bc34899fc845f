/**
 * Where names lead that have no content of their own. From the companies' documentation and from
 * published research on parking and sinkholes, and from `parking-domain-ns` and `sinkholes` of
 * MISP's warning lists (CC0), without registrars that host honest names; as of November 2026.
 */

/** Name servers of companies that show advertisements on names without content. */
export const PARKING_SERVERS: readonly string[] = (
  '1and1-parking.com above.com afternic.com bodis.com brainydns.com brandbucket.com buydomains.com cashparking.com ' +
  'chookdns.com cnomy.com dan.com dingodns.com dnsspark.com domain-for-sale.at domain-for-sale.se domainapps.com ' +
  'domainhasexpired.com domainmarket.com domainparking.ru domainparkingserver.net domainrecover.com domainsponsor.com ' +
  'dsredirection.com eftydns.com expirationwarning.net expirednamesdns.com fabulous.com fastpark.net hastydns.com ' +
  'hugedomains.com ibspark.com internettraffic.com koaladns.com magpiedns.com namebrightdns.com namedrive.com ' +
  'ns1.namefind.com ns2.namefind.com park1.encirca.net park2.encirca.net parkdns1.internetvikings.com ' +
  'parkdns2.internetvikings.com parking-page.net parking.namecheap.com parking1.ovh.net parking2.ovh.net parkingcrew.net ' +
  'parkingpage.namecheap.com parkingspa.com parklogic.com parktons.com pendingrenewaldeletion.com perfectdomain.com ' +
  'quokkadns.com rookdns.com sav.com sedo.com sedoparking.com skenzo.com smartname.com snparking.ru squadhelp.com ' +
  'sslparking.com taipandns.com torresdns.com trustednam.es undeveloped.com uniregistrymarket.link voodoo.com ' +
  'weaponizedcow.com wombatdns.com ztomy.com'
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

/** Name servers of operators of sinkholes for malware and phishing names. */
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
  // From the list `sinkholes` of MISP's warning lists (CC0, version 2), without addresses of clouds
  // and content networks, which serve others by now.
  '5.79.71.205/32',
  '5.79.71.225/32',
  '23.253.46.64/32',
  '23.253.126.58/32',
  '38.229.70.125/32',
  '38.229.128.125/32',
  '38.229.148.43/32',
  '50.57.148.87/32',
  '64.71.166.50/32',
  '74.208.15.97/32',
  '74.208.15.160/32',
  '74.208.64.145/32',
  '74.208.64.191/32',
  '74.208.164.166/32',
  '87.106.18.122/32',
  '87.106.24.200/32',
  '87.106.26.9/32',
  '87.106.86.28/32',
  '87.106.140.254/32',
  '87.106.141.15/32',
  '87.106.240.162/32',
  '87.106.250.34/32',
  '95.211.172.143/32',
  '95.211.174.92/32',
  '143.215.130.0/24',
  '166.78.144.80/32',
  '178.162.203.202/32',
  '178.162.203.226/32',
  '184.105.192.0/29',
  '192.42.116.41/32',
  '193.166.255.170/32',
  '193.166.255.171/32',
  '198.61.227.6/32',
  '204.95.99.59/32',
  '208.100.26.224/27',
  '212.227.20.19/32',
  '212.227.55.84/32',
  '216.218.135.114/32',
  '216.218.185.162/32',
]
