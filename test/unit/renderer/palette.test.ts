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

describe('the command palette', () => {
  it('entries that begin with the text come first, and the search for captures last', () => {
    expect(labels('set')).toEqual(['Settings: Receiver', 'Search captures for “set”'])
    expect(labels('stop rec')[0]).toBe('Stop the receiver')
  })

  it('an entry is found by its additional words', () => {
    expect(labels('captures')[0]).toBe('Inspector')
  })

  it('a text that is no command can be searched for in captures', () => {
    expect(labels('0:83df')).toEqual(['Search captures for “0:83df”'])
  })

  it('a pasted link opens its page, and an invalid link does not', () => {
    expect(labels(' tondesk://webhooks/7?network=testnet')).toEqual(['Open the page of this link'])
    expect(labels('tondesk://evil.test')).toHaveLength(1)
    expect(labels('tondesk://evil.test')).not.toEqual(['Open the page of this link'])
  })

  it('the palette shows all entries before any input', () => {
    expect(labels('  ')).toHaveLength(entries.length)
  })
})
