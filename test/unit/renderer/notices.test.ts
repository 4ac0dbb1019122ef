/** Which notices are said and shown: a recovery that nobody hears of, and one cause that fills the page. */
import { describe, expect, it } from 'vitest'
import type { Notice } from '../../../src-preload/contract/app.ts'
import { bannersOf, newsOf } from '../../../src-renderer/app/notices.ts'

const notice = (id: string, level: Notice['level'], title = id): Notice => ({
  id,
  level,
  title,
  detail: '',
  dismissible: true,
  raisedAt: 1,
})
const ids = (list: readonly Notice[]) => list.map(({ id }) => id)

describe('news', () => {
  const before = [
    notice('webhook.sandbox.2.offline', 'alarm'),
    notice('webhook.sandbox.2.lagging', 'warning', 'lags by 1 minute'),
  ]

  it('are what came and what is well again, not what is worded anew', () => {
    const next = [
      notice('webhook.sandbox.2.offline', 'info'),
      notice('webhook.sandbox.2.lagging', 'warning', 'lags by 2 minutes'),
      notice('disk', 'alarm'),
    ]
    expect(ids(newsOf(before, next))).toEqual(['webhook.sandbox.2.offline', 'disk'])
    expect(newsOf(next, next)).toEqual([])
  })
})

describe('banners', () => {
  it('hold the gravest of each webhook, and nothing that only informs', () => {
    const list = [
      notice('webhook.sandbox.2.failing', 'warning'),
      notice('webhook.sandbox.2.offline', 'alarm'),
      notice('webhook.testnet.2.lagging', 'warning'),
      notice('webhook.sandbox.3.failing', 'info'),
      notice('disk', 'warning'),
      notice('receiver', 'warning'),
    ]
    expect(ids(bannersOf(list))).toEqual([
      'webhook.sandbox.2.offline',
      'webhook.testnet.2.lagging',
      'disk',
      'receiver',
    ])
  })
})
