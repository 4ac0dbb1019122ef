import { expect, test, vi } from 'vitest'
import { tryRandomUpdates } from '../fixtures/update-feeds.ts'

vi.mock('electron', async () => (await import('../fixtures/update-feeds.ts')).electronStub)
vi.mock('electron-updater', async () => (await import('../fixtures/update-feeds.ts')).updaterStub)

test('of 10,000 random feeds only signed and newer releases are installed', async () => {
  expect(await tryRandomUpdates(20_261_128, 10_000)).toBeGreaterThan(500)
})
