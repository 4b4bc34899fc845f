import { GetAppInstallStatusByStoreDocument, GetAppInstallStatusDocument } from '#generated/rest-facade/store.ts'
import { route } from '../route.ts'

export const appInstallationRoutes = [
  route({ run: GetAppInstallStatusDocument, answer: 'appInstallation' }),
  route({ run: GetAppInstallStatusByStoreDocument, answer: 'appInstallation' }),
]
