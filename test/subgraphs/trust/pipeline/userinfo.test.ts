import { describe, expect, test } from 'vitest'
import { decide } from '../../../../subgraphs/trust/pipeline/decide.ts'
import { CURRENT_POLICY } from '../../../../subgraphs/trust/pipeline/policy.ts'
import { aRequest, nothingKnown, targetOf } from './support/samples.ts'

describe('what stands before the @ of a URL', () => {
  const saying = (userinfo: string, version = CURRENT_POLICY) => {
    const target = targetOf(`http://${userinfo}@evil.top/`, 'url')
    const request = aRequest('evil.top', { target })
    return decide(nothingKnown('evil.top'), request, version, null).reasonCodes.includes('URL_USERINFO_DECEPTIVE')
  }

  test.each([
    ['paypal.com', 'a name', true],
    ['www.paypal%2ecom', 'escaped', true],
    ['paypal%E3%80%82com', 'with a dot of another script, escaped', true],
    ['paypal。com', 'and not', true],
    ['paypal．com', 'wide', true],
    ['paypal｡com', 'half as wide', true],
    ['%ff%2ecom', 'beside what is no text', true],
    ['paypal', 'a brand', true],
    ['PayPal:x', 'before a password', true],
    ['p%61ypal', 'with a letter escaped', true],
    ['paypa1', 'with a digit for a letter', true],
    ['раураl', 'in letters of another script', true],
    ['paypal-service', 'beside a word', true],
    ['chase', 'a brand that is an everyday word', true],
    ['chase-party', 'which among others is one', false],
    ['user', 'somebody', false],
    ['user:secret', 'with a password', false],
    ['%E0%A4%A', 'nothing that can be read', false],
  ])('%s, %s: %s', (userinfo, _why, expected) => {
    expect(saying(userinfo)).toBe(expected)
  })

  test.each([
    ['gitlab-ci-token:secret', 'gitlab.com', false],
    ['github', 'github.com', false],
    ['x-bitbucket-api-token-auth', 'bitbucket.org', false],
    ['github', 'gitlab.com', true],
  ])('%s before %s: %s, for a brand may be named before its own host', (userinfo, host, expected) => {
    const request = aRequest(host, { target: targetOf(`https://${userinfo}@${host}/g/r.git`, 'url') })
    const { reasonCodes } = decide(nothingKnown(host), request, CURRENT_POLICY, null)
    expect(reasonCodes.includes('URL_USERINFO_DECEPTIVE')).toBe(expected)
  })

  test('engine 1 saw dots of ASCII only', () => {
    const before = (userinfo: string) => saying(userinfo, 'p_e03876f031933287')
    expect(['paypal.com', 'paypal%2Ecom', 'paypal', 'paypal。com'].map(before)).toEqual([true, true, false, false])
  })
})
