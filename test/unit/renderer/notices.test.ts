/** Tests the rules for announcing and showing notices. */
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

describe('announced notices', () => {
  const before = [
    notice('sandbox.failed', 'alarm'),
    notice('receiver.port', 'warning', 'Port 4801 is taken'),
  ]

  it('new and resolved notices are announced, and changed texts are not', () => {
    const next = [
      notice('sandbox.failed', 'info'),
      notice('receiver.port', 'warning', 'Port 4802 is taken'),
      notice('disk', 'alarm'),
    ]
    expect(ids(newsOf(before, next))).toEqual(['sandbox.failed', 'disk'])
    expect(newsOf(next, next)).toEqual([])
  })
})

describe('banners', () => {
  it('banners show alarms before warnings, without information and without notices of other networks', () => {
    const list = [
      notice('webhook.sandbox.2.missed', 'warning'),
      notice('webhook.testnet.2.missed', 'warning'),
      notice('store.restored', 'info'),
      notice('disk', 'alarm'),
      notice('receiver.port', 'warning'),
    ]
    expect(ids(bannersOf(list, 'sandbox'))).toEqual([
      'disk',
      'webhook.sandbox.2.missed',
      'receiver.port',
    ])
  })

  it('a page that lists missed events itself shows no banner about them', () => {
    const list = [notice('webhook.sandbox.2.missed', 'warning'), notice('disk', 'alarm')]
    expect(ids(bannersOf(list, 'sandbox', true))).toEqual(['disk'])
  })
})
