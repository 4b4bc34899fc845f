/**
 * Words that phishing names are made of, because they ask for credentials, money or haste, in the
 * languages that campaigns are written in most. Two of them in one name are a lure; one beside a
 * brand is.
 */
export const LURES: readonly string[] = (
  'account accounts alert alerts auth authenticate authentication authorize banking billing cancel claim confirm confirmation connect credential ' +
  'credentials deposit giveaway identity invoice kyc limited locked login logon mfa notice notification otp password pay payment payments payout ' +
  'prize recover recovery redeem refund reset restore restricted reward rewards seed secure secured security session signin signon ssl sso suspended ' +
  'suspension transfer unlock unusual update updates upgrade validate validation verification verified verify verifying wallet warning webscr withdraw ' +
  // German, French, Spanish, Portuguese, Italian, Dutch, Polish, Turkish
  'anmelden anmeldung bestaetigen bestaetigung konto kundenkonto sicherheit ueberweisung zahlung zahlungen freischaltung verifizierung ' +
  'authentification compte connexion identifiant mdp paiement remboursement securite verifier virement ' +
  'acceder clave confirmar contrasena cuenta desbloqueo iniciarsesion reembolso seguridad sesion transferencia validar verificacion verificar ' +
  'acesso bloqueio confirme conta desbloquear entrar pagamento reativar recadastramento resgate seguranca senha verificacao verifique ' +
  'accedi accesso aggiorna autenticazione conferma pagamenti riattiva rimborso sblocca sicurezza verifica ' +
  'aanmelden betaling betalen bevestigen bevestiging inloggen rekening terugbetaling veiligheid verificatie ' +
  'aktywacja bezpieczenstwo logowanie platnosc platnosci potwierdz przelew weryfikacja zaloguj zwrot ' +
  'dogrulama giris guncelle guvenlik hesabim iade odeme onayla onaylama sifre ' +
  // Russian, Japanese, Chinese, Indonesian, Vietnamese and Swedish in Latin letters
  'akkaunt oplata parol perevod vhod vozvrat ninsho honninkakunin denglu yanzheng zhifu akun masuk pembayaran verifikasi dangnhap xacminh xacthuc ' +
  'aterbetalning betalning inloggning verifiera'
).split(' ')

/**
 * Words that make a name sound like a department of a brand, or like the occasion of a message in
 * its name: a parcel, a toll, a refund. Harmless alone.
 */
export const BUSINESS: readonly string[] = (
  'access activate activation admin airdrop app apps badge bank bonus business card care center centre chat check client cloud com contact corp ' +
  'customer customers desk direct download email file files free gift gifts global group help helpdesk home id info installer live mail manage ' +
  'management member members mobile my net official online order orders parcel portal post promo review sale secure sec services service share shop ' +
  'sign store support survey system team ticket track tracking user users web webmail win www ' +
  // Delivery, tolls and fines, taxes, banks and authorities, in the languages above
  'address adres aduana amende arancel arrival bancaria bancario banca banka banken banque benefits bezorging bill bills bolletta bussgeld citation ' +
  'colis consegna corriere correo correos cra customs delay delivered delivery deliver dgt dmv dogana douane e-zpass entrega envio estafeta express ezpass ' +
  'factura failed fattura fine fines fatura fastrak finanzamt giro gov govt hmrc hold impots inps irs issue kargo kurier lieferung lost missed mypackage ' +
  'myparcel notify paczka paket pakket parking pedido penalty pickup pikepass postage redeliver redelivery reschedule rebate refunds schedule sendung ' +
  'sendungsverfolgung settlement shipment shipping spedizione status steuer stimulus subsidy suivi sunpass tax taxes toll tollroads tolls tolltag ' +
  'tracker tolling unpaid usagov vignette violation warehouse zoll zustellung'
).split(' ')

/**
 * Suffixes with far more abuse than use, year after year, in the published counts of abuse desks
 * and block lists.
 */
export const RISKY_SUFFIXES: readonly string[] = (
  'bar beauty bond buzz cam cf cfd click country cyou date download fit ga gq hair icu lat link live loan makeup men ml mom monster mov quest racing ' +
  'rest review sbs science shop skin stream surf tk today top trade uno vip wang win work xyz yachts zip'
).split(' ')

/**
 * First labels of public suffixes under which a registry verifies registrants: authorities, armed
 * forces and schools (`gov.uk`, `gob.mx`, `edu`, `ac.jp`).
 */
export const PROTECTED_SUFFIXES: readonly string[] = 'ac edu gc go gob gouv gov govt gub gv k12 mil sch'.split(' ')

/**
 * Hosts that have nothing but pages, forms and files of their users: whoever sends a password there
 * sends it to a stranger. Matched at label boundaries.
 */
export const USER_PAGES: readonly string[] = (
  'canva.site cdn.discordapp.com cloudflare-ipfs.com docs.google.com dl.dropboxusercontent.com dweb.link firebasestorage.googleapis.com form.jotform.com form.typeform.com ' +
  'forms.gle forms.office.com gist.github.com gist.githubusercontent.com ipfs.io raw.githubusercontent.com s3.amazonaws.com script.google.com ' +
  'sites.google.com storage.googleapis.com telegra.ph'
).split(' ')

/**
 * Platforms with user content under their own name, beside the shared suffixes of the public suffix
 * list. Their content is no statement of the platform, and a bad page there does not count against
 * it. Matched at label boundaries.
 */
export const PLATFORMS: readonly string[] = (
  'archive.org bit.ly bitbucket.org canva.com codepen.io dailymotion.com deviantart.com discord.com discord.gg discordapp.com docs.google.com ' +
  'drive.google.com dropbox.com dropboxusercontent.com facebook.com flickr.com forms.gle forms.office.com github.com githubusercontent.com gitlab.com ' +
  'goo.gl googleusercontent.com huggingface.co imgur.com instagram.com is.gd linkedin.com linktr.ee lobste.rs mediafire.com medium.com mega.nz ' +
  'news.ycombinator.com notion.so npmjs.com onedrive.live.com pastebin.com pinterest.com pypi.org quora.com reddit.com rebrand.ly scribd.com ' +
  'sharepoint.com sites.google.com slideshare.net soundcloud.com sourceforge.net stackexchange.com stackoverflow.com steamcommunity.com storage.googleapis.com ' +
  's3.amazonaws.com substack.com t.co t.me telegra.ph tiktok.com tinyurl.com tumblr.com twitch.tv twitter.com typeform.com vimeo.com vk.com we.tl ' +
  'wetransfer.com wikipedia.org wordpress.com x.com youtu.be youtube.com'
).split(' ')
