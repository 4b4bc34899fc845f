import { type LookupTable, lookupTable, ownValue } from '../../../platform/collections/lookup-table.ts'
import type { MailTextKind } from './mail-text.ts'

/** What a merchant can replace. `{order}`, `{shop}` and `{return}` stand for values. */
type OwnTexts = { readonly subject: string; readonly opening: string }

/** Texts of e-mails about orders in one language. */
export type MailLanguage = {
  readonly texts: Readonly<Record<MailTextKind, OwnTexts>>
  readonly shipping: string
  readonly giftCards: string
  readonly total: string
  readonly paid: string
  readonly pending: string
  /** `{text}` is that of the payment method. */
  readonly howToPay: string
  readonly seeOrder: string
  readonly secretLink: string
  readonly seeReturn: string
  /** `{text}` is that of the merchant. */
  readonly shopWrites: string
  readonly product: string
  /** Sentences about `{amount}` of a refund. */
  readonly paidBack: string
  readonly exchanged: string
  readonly toGiftCards: string
}

const ENGLISH: MailLanguage = {
  texts: {
    ORDER_CONFIRMATION: {
      subject: 'Your order {order} at {shop}',
      opening: 'Thank you for your order {order} at {shop}.',
    },
    RETURN_REQUESTED: {
      subject: 'Return {return} of your order {order} at {shop} was requested',
      opening: '{shop} got your request to return these units of order {order}. Keep them until it is approved.',
    },
    RETURN_APPROVED: {
      subject: 'Return {return} of your order {order} at {shop} was approved',
      opening: '{shop} takes back these units of order {order}. Send them to the shop.',
    },
    RETURN_DECLINED: {
      subject: 'Return {return} of your order {order} at {shop} was declined',
      opening: '{shop} does not take back these units of order {order}.',
    },
    RETURN_REFUNDED: {
      subject: 'Return {return} of your order {order} at {shop} was refunded',
      opening: '{shop} received these units of order {order}.',
    },
    RETURN_EXCHANGED: {
      subject: 'Return {return} of your order {order} at {shop} was exchanged',
      opening: '{shop} received these units of order {order}.',
    },
  },
  shipping: 'Shipping',
  giftCards: 'Gift cards',
  total: 'Total',
  paid: 'It is paid.',
  pending: 'Payment is pending.',
  howToPay: 'How you pay: {text}',
  seeOrder: 'See your order',
  secretLink: 'Everybody with this link can see the order: keep it to yourself.',
  seeReturn: 'See the return',
  shopWrites: 'The shop writes: {text}',
  product: 'Product',
  paidBack: '{amount} are paid back.',
  exchanged: '{amount} pay for what you get instead, and what is left of them is paid back.',
  toGiftCards: '{amount} are on your gift cards again.',
}

const GERMAN: MailLanguage = {
  texts: {
    ORDER_CONFIRMATION: {
      subject: 'Ihre Bestellung {order} bei {shop}',
      opening: 'Vielen Dank für Ihre Bestellung {order} bei {shop}.',
    },
    RETURN_REQUESTED: {
      subject: 'Rückgabe {return} Ihrer Bestellung {order} bei {shop}: angefragt',
      opening:
        '{shop} hat Ihre Anfrage erhalten, diese Artikel der Bestellung {order} zurückzugeben. Behalten Sie sie bis zur Zusage.',
    },
    RETURN_APPROVED: {
      subject: 'Rückgabe {return} Ihrer Bestellung {order} bei {shop}: angenommen',
      opening: '{shop} nimmt diese Artikel der Bestellung {order} zurück. Senden Sie sie an den Shop.',
    },
    RETURN_DECLINED: {
      subject: 'Rückgabe {return} Ihrer Bestellung {order} bei {shop}: abgelehnt',
      opening: '{shop} nimmt diese Artikel der Bestellung {order} nicht zurück.',
    },
    RETURN_REFUNDED: {
      subject: 'Rückgabe {return} Ihrer Bestellung {order} bei {shop}: erstattet',
      opening: '{shop} hat diese Artikel der Bestellung {order} erhalten.',
    },
    RETURN_EXCHANGED: {
      subject: 'Rückgabe {return} Ihrer Bestellung {order} bei {shop}: umgetauscht',
      opening: '{shop} hat diese Artikel der Bestellung {order} erhalten.',
    },
  },
  shipping: 'Versand',
  giftCards: 'Geschenkkarten',
  total: 'Gesamt',
  paid: 'Sie ist bezahlt.',
  pending: 'Die Zahlung steht noch aus.',
  howToPay: 'So bezahlen Sie: {text}',
  seeOrder: 'Bestellung ansehen',
  secretLink: 'Wer diesen Link hat, kann die Bestellung sehen: Geben Sie ihn nicht weiter.',
  seeReturn: 'Rückgabe ansehen',
  shopWrites: 'Der Shop schreibt: {text}',
  product: 'Produkt',
  paidBack: '{amount} werden erstattet.',
  exchanged: '{amount} werden mit dem Ersatz verrechnet, der Rest wird erstattet.',
  toGiftCards: '{amount} sind wieder auf Ihren Geschenkkarten.',
}

const SPANISH: MailLanguage = {
  texts: {
    ORDER_CONFIRMATION: { subject: 'Tu pedido {order} en {shop}', opening: 'Gracias por tu pedido {order} en {shop}.' },
    RETURN_REQUESTED: {
      subject: 'Devolución {return} de tu pedido {order} en {shop}: solicitada',
      opening: '{shop} ha recibido tu solicitud de devolver estos artículos del pedido {order}. Guárdalos hasta que se apruebe.',
    },
    RETURN_APPROVED: {
      subject: 'Devolución {return} de tu pedido {order} en {shop}: aprobada',
      opening: '{shop} acepta la devolución de estos artículos del pedido {order}. Envíalos a la tienda.',
    },
    RETURN_DECLINED: {
      subject: 'Devolución {return} de tu pedido {order} en {shop}: rechazada',
      opening: '{shop} no acepta la devolución de estos artículos del pedido {order}.',
    },
    RETURN_REFUNDED: {
      subject: 'Devolución {return} de tu pedido {order} en {shop}: reembolsada',
      opening: '{shop} ha recibido estos artículos del pedido {order}.',
    },
    RETURN_EXCHANGED: {
      subject: 'Devolución {return} de tu pedido {order} en {shop}: cambiada',
      opening: '{shop} ha recibido estos artículos del pedido {order}.',
    },
  },
  shipping: 'Envío',
  giftCards: 'Tarjetas regalo',
  total: 'Total',
  paid: 'Está pagado.',
  pending: 'El pago está pendiente.',
  howToPay: 'Cómo pagar: {text}',
  seeOrder: 'Ver tu pedido',
  secretLink: 'Quien tenga este enlace puede ver el pedido: no lo compartas.',
  seeReturn: 'Ver la devolución',
  shopWrites: 'La tienda escribe: {text}',
  product: 'Producto',
  paidBack: 'Se reembolsan {amount}.',
  exchanged: '{amount} se descuentan del cambio, y el resto se reembolsa.',
  toGiftCards: '{amount} vuelven a tus tarjetas regalo.',
}

const FRENCH: MailLanguage = {
  texts: {
    ORDER_CONFIRMATION: {
      subject: 'Votre commande {order} chez {shop}',
      opening: 'Merci pour votre commande {order} chez {shop}.',
    },
    RETURN_REQUESTED: {
      subject: 'Retour {return} de votre commande {order} chez {shop} : demandé',
      opening:
        '{shop} a reçu votre demande de retour de ces articles de la commande {order}. Gardez-les jusqu’à son acceptation.',
    },
    RETURN_APPROVED: {
      subject: 'Retour {return} de votre commande {order} chez {shop} : accepté',
      opening: '{shop} reprend ces articles de la commande {order}. Envoyez-les à la boutique.',
    },
    RETURN_DECLINED: {
      subject: 'Retour {return} de votre commande {order} chez {shop} : refusé',
      opening: '{shop} ne reprend pas ces articles de la commande {order}.',
    },
    RETURN_REFUNDED: {
      subject: 'Retour {return} de votre commande {order} chez {shop} : remboursé',
      opening: '{shop} a reçu ces articles de la commande {order}.',
    },
    RETURN_EXCHANGED: {
      subject: 'Retour {return} de votre commande {order} chez {shop} : échangé',
      opening: '{shop} a reçu ces articles de la commande {order}.',
    },
  },
  shipping: 'Livraison',
  giftCards: 'Cartes cadeaux',
  total: 'Total',
  paid: 'Elle est payée.',
  pending: 'Le paiement est en attente.',
  howToPay: 'Comment payer : {text}',
  seeOrder: 'Voir votre commande',
  secretLink: 'Toute personne ayant ce lien peut voir la commande : ne le partagez pas.',
  seeReturn: 'Voir le retour',
  shopWrites: 'La boutique écrit : {text}',
  product: 'Produit',
  paidBack: '{amount} sont remboursés.',
  exchanged: '{amount} sont déduits de l’échange, et le reste est remboursé.',
  toGiftCards: '{amount} sont de nouveau sur vos cartes cadeaux.',
}

const PORTUGUESE: MailLanguage = {
  texts: {
    ORDER_CONFIRMATION: {
      subject: 'A sua encomenda {order} na {shop}',
      opening: 'Obrigado pela sua encomenda {order} na {shop}.',
    },
    RETURN_REQUESTED: {
      subject: 'Devolução {return} da sua encomenda {order} na {shop}: pedida',
      opening: '{shop} recebeu o seu pedido de devolução destes artigos da encomenda {order}. Guarde-os até ser aceite.',
    },
    RETURN_APPROVED: {
      subject: 'Devolução {return} da sua encomenda {order} na {shop}: aceite',
      opening: '{shop} aceita a devolução destes artigos da encomenda {order}. Envie-os para a loja.',
    },
    RETURN_DECLINED: {
      subject: 'Devolução {return} da sua encomenda {order} na {shop}: recusada',
      opening: '{shop} não aceita a devolução destes artigos da encomenda {order}.',
    },
    RETURN_REFUNDED: {
      subject: 'Devolução {return} da sua encomenda {order} na {shop}: reembolsada',
      opening: '{shop} recebeu estes artigos da encomenda {order}.',
    },
    RETURN_EXCHANGED: {
      subject: 'Devolução {return} da sua encomenda {order} na {shop}: trocada',
      opening: '{shop} recebeu estes artigos da encomenda {order}.',
    },
  },
  shipping: 'Envio',
  giftCards: 'Cartões-presente',
  total: 'Total',
  paid: 'Está paga.',
  pending: 'O pagamento está pendente.',
  howToPay: 'Como pagar: {text}',
  seeOrder: 'Ver a sua encomenda',
  secretLink: 'Quem tiver este link pode ver a encomenda: não o partilhe.',
  seeReturn: 'Ver a devolução',
  shopWrites: 'A loja escreve: {text}',
  product: 'Produto',
  paidBack: 'São reembolsados {amount}.',
  exchanged: '{amount} são descontados na troca, e o resto é reembolsado.',
  toGiftCards: '{amount} voltam aos seus cartões-presente.',
}

const LANGUAGES = lookupTable({ de: GERMAN, en: ENGLISH, es: SPANISH, fr: FRENCH, pt: PORTUGUESE })

/** Texts about orders in a language, a BCP 47 tag: those of `pt` for `pt-BR`, English for others, with the tag of the texts. */
export const mailLanguage = (tag: string): { readonly code: string; readonly language: MailLanguage } =>
  textsIn(LANGUAGES, ENGLISH, tag)

/** The same of any texts by primary language; `english` is for languages without texts. */
export function textsIn<Texts>(
  texts: LookupTable<Texts>,
  english: Texts,
  tag: string,
): { readonly code: string; readonly language: Texts } {
  const code = tag.toLowerCase().split('-')[0] ?? ''
  const language = ownValue(texts, code)
  if (!language) return { code: 'en', language: english }
  // Amounts follow the region of the tag, where it has one that is known.
  return { code: isTag(tag) ? tag : code, language }
}

function isTag(tag: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(tag).length > 0
  } catch {
    return false
  }
}
