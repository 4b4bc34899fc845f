import { collectionForms } from '../collection/forms.ts'
import { addToCollection, collection, collections } from '../collection/pages.ts'
import type { Site } from '../frame/site.ts'
import { postForms } from '../post/forms.ts'
import { post, posts } from '../post/pages.ts'
import { roomForms } from '../room/forms.ts'
import { room, rooms } from '../room/pages.ts'
import { trust, trustDecision, trustDomain } from '../trust/own-pages.ts'
import { trustForms } from '../trust/report-forms.ts'
import { erasure, erasureForms } from './erasure.ts'
import { keyForms, keys } from './keys.ts'
import type { UserForm, UserPageRow } from './page.ts'
import { profile, profileForms } from './profile.ts'
import { security, securityForms } from './security.ts'
import { staffInvitation, staffInvitationForms } from './staff-invitation.ts'
import { storeForms, stores } from './stores.ts'

/** Every page that depends on who reads it, in the order of the navigation, and its forms. */
export const accountRows = (site: Site): { readonly rows: readonly UserPageRow[]; readonly forms: readonly UserForm[] } => ({
  rows: [
    profile,
    rooms,
    security,
    keys,
    trust,
    trustDecision,
    trustDomain,
    stores,
    staffInvitation,
    erasure,
    posts,
    post,
    collections,
    collection,
    addToCollection,
    room,
  ],
  forms: [
    ...profileForms,
    ...securityForms,
    ...keyForms(site),
    ...trustForms,
    ...storeForms,
    ...staffInvitationForms,
    ...erasureForms,
    ...postForms,
    ...collectionForms,
    ...roomForms,
  ],
})
