import type { RedirectChain, Snapshot } from '../evidence.ts'
import type { Finding, JudgedRedirects } from './decision.ts'
import { inOrder } from './explain.ts'
import type { Target } from './normalise.ts'
import type { Policy } from './policy.ts'
import { severityOf } from './route.ts'

/**
 * Judges each URL of a chain like a target of its own, and takes the strictest finding: a client
 * that follows redirects reaches the end. Of equal ones the first counts.
 */
export function withRedirects(
  own: Finding,
  chain: RedirectChain,
  judge: (target: Target, snapshot: Snapshot) => Finding,
  policy: Policy,
): Finding {
  const findings = chain.hops.map(({ target, snapshot }, index) =>
    // The rest of the chain after a hop is known as well.
    // Put there by `assess.ts`, from `normalise`.
    judge(target as Target, { ...snapshot, redirects: { ...chain, hops: chain.hops.slice(index + 1) } }),
  )
  const actions = findings.map(({ action }) => severityOf(action))
  const worst = Math.max(severityOf(own.action), ...actions)
  const decidedBy = worst > severityOf(own.action) ? actions.indexOf(worst) : null
  const deciding = decidedBy === null ? own : (findings[decidedBy] ?? own)
  const redirects: JudgedRedirects = {
    end: chain.end,
    hops: chain.hops.map(({ target: { host } }, index) => ({ host, action: findings[index]?.action ?? own.action })),
    decidedBy,
  }
  const risk = { code: 'REDIRECT_TARGET_RISK', strength: policy.weights.STRENGTH.decisive } as const
  return {
    ...deciding,
    reasons: decidedBy === null ? deciding.reasons : inOrder([...deciding.reasons, risk], deciding.action),
    // No override opens a private network, whichever hop leads there.
    mayBeOverridden: [own, ...findings].every(({ mayBeOverridden }) => mayBeOverridden),
    audit: { ...deciding.audit, redirects },
  }
}
