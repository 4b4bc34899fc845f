import { GetJsonWebKeysDocument } from '#generated/operations.ts'
import { route } from '../../http/route.ts'

export const sessionRoutes = [
  route({
    on: 'GET /.well-known/jwks.json',
    run: GetJsonWebKeysDocument,
    variables: () => ({}),
    body: ({ keys }) => ({ keys }),
  }),
]
