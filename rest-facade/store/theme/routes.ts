import {
  ApplyThemeDocument,
  CustomizeThemeDocument,
  DeleteThemeDocument,
  GetPublishedThemeDocument,
  GetThemeDocument,
  ListThemeFilesDocument,
  ListThemesDocument,
  PreviewThemeDocument,
  RevertThemeDocument,
  UploadThemeDocument,
} from '#generated/rest-facade/store.ts'
import { route } from '../route.ts'

export const themeRoutes = [
  route({ run: ListThemesDocument, answer: 'themes' }),
  route({ run: UploadThemeDocument, answer: 'result.theme' }),
  route({ run: GetPublishedThemeDocument, answer: 'publishedTheme' }),
  route({ run: RevertThemeDocument, answer: 'result.theme' }),
  route({ run: GetThemeDocument, answer: 'theme' }),
  route({ run: CustomizeThemeDocument, answer: 'result.theme' }),
  route({ run: DeleteThemeDocument }),
  route({ run: ListThemeFilesDocument, answer: 'theme.files' }),
  route({ run: PreviewThemeDocument, answer: 'result.view' }),
  route({ run: ApplyThemeDocument, answer: 'result.theme' }),
]
