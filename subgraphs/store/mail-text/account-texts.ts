import { lookupTable } from '../../../platform/collections/lookup-table.ts'
import type { StoreRepository } from '../store/repository.ts'
import { textsIn } from './default-texts.ts'

/** Texts of e-mails about accounts in one language; `{shop}` is the name of the store. */
type AccountTexts = {
  readonly confirmSubject: string
  readonly confirmOpening: string
  readonly confirmLink: string
  readonly signInSubject: string
  readonly signInOpening: string
  readonly signInLink: string
  /** How long a link works. */
  readonly linkLimits: string
  readonly passwordSubject: string
  readonly passwordOpening: string
  readonly passwordAdvice: string
  readonly accountLink: string
  readonly invitationSubject: string
  readonly invitationOpening: string
  readonly invitationLink: string
  readonly invitationLimits: string
}

const ENGLISH: AccountTexts = {
  confirmSubject: 'Confirm your address for {shop}',
  confirmOpening: 'Somebody, probably you, wants to create an account at {shop} with this e-mail address.',
  confirmLink: 'Confirm the address and create the account',
  signInSubject: 'Sign in to {shop}',
  signInOpening: 'Somebody, probably you, wants to sign in to {shop} with this e-mail address.',
  signInLink: 'Sign in',
  linkLimits: 'The link works once, within 30 minutes. If it was not you, do nothing: nobody gets in without it.',
  passwordSubject: 'Your password at {shop} was changed',
  passwordOpening: 'The password of your account at {shop} was changed, and other devices were signed out.',
  passwordAdvice: 'If it was not you, sign in by a link that we send you, and set a new one:',
  accountLink: 'Your account',
  invitationSubject: 'Invitation to the staff of {shop}',
  invitationOpening: 'The owner of {shop} invites you to work in the console of the store.',
  invitationLink: 'Accept the invitation',
  invitationLimits:
    'You need an account; the page offers to make one. The link works once, within seven days. If you do not know the store, do nothing.',
}

const GERMAN: AccountTexts = {
  confirmSubject: 'Bestätigen Sie Ihre Adresse für {shop}',
  confirmOpening: 'Jemand, vermutlich Sie, möchte mit dieser E-Mail-Adresse ein Konto bei {shop} anlegen.',
  confirmLink: 'Adresse bestätigen und Konto anlegen',
  signInSubject: 'Anmelden bei {shop}',
  signInOpening: 'Jemand, vermutlich Sie, möchte sich mit dieser E-Mail-Adresse bei {shop} anmelden.',
  signInLink: 'Anmelden',
  linkLimits:
    'Der Link gilt einmal und 30 Minuten lang. Wenn Sie das nicht waren, tun Sie nichts: Ohne den Link kommt niemand hinein.',
  passwordSubject: 'Ihr Passwort bei {shop} wurde geändert',
  passwordOpening: 'Das Passwort Ihres Kontos bei {shop} wurde geändert, andere Geräte wurden abgemeldet.',
  passwordAdvice: 'Wenn Sie das nicht waren, melden Sie sich mit einem Link an, den wir Ihnen senden, und setzen Sie ein neues:',
  accountLink: 'Ihr Konto',
  invitationSubject: 'Einladung in das Team von {shop}',
  invitationOpening: 'Der Inhaber von {shop} lädt Sie ein, in der Konsole des Shops zu arbeiten.',
  invitationLink: 'Einladung annehmen',
  invitationLimits:
    'Sie brauchen ein Konto; die Seite bietet an, eines anzulegen. Der Link gilt einmal und sieben Tage lang. Wenn Sie den Shop nicht kennen, tun Sie nichts.',
}

const SPANISH: AccountTexts = {
  confirmSubject: 'Confirma tu dirección para {shop}',
  confirmOpening: 'Alguien, probablemente tú, quiere crear una cuenta en {shop} con esta dirección de correo.',
  confirmLink: 'Confirmar la dirección y crear la cuenta',
  signInSubject: 'Iniciar sesión en {shop}',
  signInOpening: 'Alguien, probablemente tú, quiere iniciar sesión en {shop} con esta dirección de correo.',
  signInLink: 'Iniciar sesión',
  linkLimits: 'El enlace funciona una vez, durante 30 minutos. Si no has sido tú, no hagas nada: sin él no entra nadie.',
  passwordSubject: 'Tu contraseña en {shop} ha cambiado',
  passwordOpening: 'La contraseña de tu cuenta en {shop} ha cambiado, y se ha cerrado la sesión en otros dispositivos.',
  passwordAdvice: 'Si no has sido tú, inicia sesión con un enlace que te enviamos y pon una nueva:',
  accountLink: 'Tu cuenta',
  invitationSubject: 'Invitación al equipo de {shop}',
  invitationOpening: 'El propietario de {shop} te invita a trabajar en la consola de la tienda.',
  invitationLink: 'Aceptar la invitación',
  invitationLimits:
    'Necesitas una cuenta; la página te ofrece crearla. El enlace funciona una vez, durante siete días. Si no conoces la tienda, no hagas nada.',
}

const FRENCH: AccountTexts = {
  confirmSubject: 'Confirmez votre adresse pour {shop}',
  confirmOpening: 'Quelqu’un, sans doute vous, veut créer un compte chez {shop} avec cette adresse e-mail.',
  confirmLink: 'Confirmer l’adresse et créer le compte',
  signInSubject: 'Connexion à {shop}',
  signInOpening: 'Quelqu’un, sans doute vous, veut se connecter à {shop} avec cette adresse e-mail.',
  signInLink: 'Se connecter',
  linkLimits:
    'Le lien fonctionne une fois, pendant 30 minutes. Si ce n’était pas vous, ne faites rien : sans lui, personne n’entre.',
  passwordSubject: 'Votre mot de passe chez {shop} a été changé',
  passwordOpening: 'Le mot de passe de votre compte chez {shop} a été changé, et les autres appareils ont été déconnectés.',
  passwordAdvice: 'Si ce n’était pas vous, connectez-vous par un lien que nous vous envoyons, et choisissez-en un nouveau :',
  accountLink: 'Votre compte',
  invitationSubject: 'Invitation dans l’équipe de {shop}',
  invitationOpening: 'Le propriétaire de {shop} vous invite à travailler dans la console de la boutique.',
  invitationLink: 'Accepter l’invitation',
  invitationLimits:
    'Il vous faut un compte ; la page propose d’en créer un. Le lien fonctionne une fois, pendant sept jours. Si vous ne connaissez pas la boutique, ne faites rien.',
}

const PORTUGUESE: AccountTexts = {
  confirmSubject: 'Confirme o seu endereço para {shop}',
  confirmOpening: 'Alguém, provavelmente você, quer criar uma conta na {shop} com este endereço de e-mail.',
  confirmLink: 'Confirmar o endereço e criar a conta',
  signInSubject: 'Entrar na {shop}',
  signInOpening: 'Alguém, provavelmente você, quer entrar na {shop} com este endereço de e-mail.',
  signInLink: 'Entrar',
  linkLimits: 'O link funciona uma vez, durante 30 minutos. Se não foi você, não faça nada: sem ele ninguém entra.',
  passwordSubject: 'A sua palavra-passe na {shop} foi alterada',
  passwordOpening: 'A palavra-passe da sua conta na {shop} foi alterada, e a sessão foi terminada noutros dispositivos.',
  passwordAdvice: 'Se não foi você, entre com um link que lhe enviamos e defina uma nova:',
  accountLink: 'A sua conta',
  invitationSubject: 'Convite para a equipa da {shop}',
  invitationOpening: 'O proprietário da {shop} convida-o a trabalhar na consola da loja.',
  invitationLink: 'Aceitar o convite',
  invitationLimits:
    'Precisa de uma conta; a página propõe criar uma. O link funciona uma vez, durante sete dias. Se não conhece a loja, não faça nada.',
}

const LANGUAGES = lookupTable({ de: GERMAN, en: ENGLISH, es: SPANISH, fr: FRENCH, pt: PORTUGUESE })

/**
 * Texts of e-mails about accounts in a language, a BCP 47 tag; null: the first language of the store.
 * Merchants cannot replace them: they say what a link allows. `locale` of the result is that of pages
 * to link to: null where the shop has the language no longer.
 */
export async function accountTexts(
  stores: StoreRepository,
  storeId: number,
  locale: string | null,
): Promise<{ readonly code: string; readonly language: AccountTexts; readonly locale: string | null }> {
  const languages = (await stores.languagesOf([storeId])).map(({ code }) => code)
  const known = locale !== null && languages.includes(locale) ? locale : null
  return { ...textsIn(LANGUAGES, ENGLISH, known ?? languages[0] ?? 'en'), locale: known }
}
