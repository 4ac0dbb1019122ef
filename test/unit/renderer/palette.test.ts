import { describe, expect, it } from 'vitest'
import type { PaletteEntry } from '../../../src-renderer/app/features.tsx'
import { filterEntries } from '../../../src-renderer/app/frame/palette-entries.ts'

const entry = (label: string, words?: string): PaletteEntry => ({
  id: label,
  label,
  icon: 'search',
  run: () => undefined,
  ...(words !== undefined && { words }),
})

const entries = [
  entry('Settings: Receiver'),
  entry('Stop the receiver'),
  entry('Inspector', 'captures list'),
]
const labels = (typed: string) => filterEntries(entries, typed).map(({ label }) => label)

describe('the palette', () => {
  it('puts what begins as typed before what only holds it, and the search last', () => {
    expect(labels('set')).toEqual(['Settings: Receiver', 'Search captures for “set”'])
    expect(labels('stop rec')[0]).toBe('Stop the receiver')
  })

  it('finds by other words', () => {
    expect(labels('captures')[0]).toBe('Inspector')
  })

  it('offers to search for a text that is no command, so Enter is never without effect', () => {
    expect(labels('0:83df')).toEqual(['Search captures for “0:83df”'])
  })

  it('opens a pasted link, which the system does not hand to browser mode', () => {
    expect(labels(' tondesk://webhooks/7?network=testnet')).toEqual(['Open the page of this link'])
    expect(labels('tondesk://evil.test')).toHaveLength(1)
    expect(labels('tondesk://evil.test')).not.toEqual(['Open the page of this link'])
  })

  it('shows everything before anything is typed', () => {
    expect(labels('  ')).toHaveLength(entries.length)
  })
})
