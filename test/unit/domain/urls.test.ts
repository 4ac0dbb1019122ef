/** Tests that a second URL after the first one is refused in every field for a URL. */
import { expect, test } from 'vitest'
import { baseUrlProblem } from '../../../src-preload/contract/network.ts'
import { receiverSettings } from '../../../src-preload/contract/settings.ts'
import { targetUrl } from '../../../src-preload/contract/target.ts'
import { endpointProblem } from '../../../src-preload/contract/webhook.ts'
import { hasSecondUrl, secondUrlProblem } from '../../../src-preload/domain/urls.ts'

test.each([
  ['https://a.example/hookhttp://b.example/hook', true],
  ['http://127.0.0.1:5346/hook/e324http://127.0.0.1:5347/ton/hook', true],
  ['https://a.examplehttps://b.example', true],
  ['https://a.example/HTTPS://b.example', true],
  ['https://a.example/hook/http%3A%2F%2Fb.example', true],
  ['https://a.example/http:/b.example', true],
  ['https://a.example/hook', false],
  ['https://a.example/hook?next=http://b.example', false],
  ['https://a.example/http', false],
  ['https://https.example/https', false],
])('the check for a second URL in %j returns %j', (url, isSecond) => {
  expect(hasSecondUrl(url)).toBe(isSecond)
})

test('endpoints, targets, gateways and the public URL each refuse a second URL', () => {
  const url = 'https://a.example/hookhttps://b.example/hook'
  expect(endpointProblem(url)).toBe(secondUrlProblem)
  expect(baseUrlProblem(url)).toBe(secondUrlProblem)
  expect(targetUrl.safeParse(url).error?.issues[0]?.message).toBe(secondUrlProblem)
  expect(receiverSettings.shape.publicUrl.safeParse(url).success).toBe(false)
  for (const fine of ['https://a.example/hook', 'http://127.0.0.1:3000/hook']) {
    expect(endpointProblem(fine)).toBeNull()
    expect(targetUrl.safeParse(fine).success).toBe(true)
  }
})
