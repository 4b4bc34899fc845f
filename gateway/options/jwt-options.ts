import { z } from 'zod'
import { httpUrl, options, text } from './validate-options.ts'

const claim = () => z.string('the name of a claim').regex(/^[\w.:/-]+$/, 'the name of a claim')

/** How bearer tokens (JSON Web Tokens) are verified. */
export const jwtOptions = options({
  /** URL of the JSON Web Key Set that signs them; http or https. */
  jwksUrl: httpUrl(),
  /** Expected claim `iss`. Default: any. */
  issuer: text().optional(),
  /** Values of the claim `aud`, of which a token must have one. Default: any. */
  aud: z.array(text(), 'a list of texts').readonly().optional(),
  /** Claim with the scopes; dots lead into objects. Default: `scope`. */
  scopesClaim: claim().optional(),
  /** Claim with the names of met policies. Default: none is met. */
  policiesClaim: claim().optional(),
})
export type GatewayJwtOptions = z.input<typeof jwtOptions>
