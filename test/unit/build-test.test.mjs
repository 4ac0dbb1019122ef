import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { neededParts } from '../../build/lib/bench.mjs'
import { distributionOf, installAdvice, missingPackages } from '../../build/lib/system-packages.mjs'
import {
  addTallies,
  describeTally,
  exitCodeFor,
  noTests,
  tallyCommand,
  tallyPlaywright,
  tallyVitest,
} from '../../build/lib/tally.mjs'

const vitest = { numPassedTests: 3, numFailedTests: 0, numPendingTests: 1, numTodoTests: 0 }
const playwright = { stats: { expected: 4, unexpected: 0, flaky: 0, skipped: 0 } }

describe('the closing line', () => {
  it('adds the parts up', () => {
    const total = addTallies([
      tallyCommand(0),
      tallyVitest(vitest, 0),
      tallyPlaywright(playwright, 0),
    ])
    expect(describeTally(total)).toBe('8 passed, 0 failed, 1 skipped')
    expect(exitCodeFor(total)).toBe(0)
  })

  it.each([
    ['a failed check', tallyCommand(2)],
    ['a run without a report', tallyVitest(undefined, 0)],
    ['a file that does not load, so that no test of it is counted', tallyVitest(vitest, 1)],
    [
      'a test that passed only when tried again',
      tallyPlaywright({ stats: { ...playwright.stats, flaky: 1 } }, 0),
    ],
    ['a runner that crashed', tallyPlaywright(playwright, 139)],
  ])('counts %s as failed', (_name, tally) => {
    expect(tally.failed).toBe(1)
    expect(exitCodeFor(addTallies([tallyCommand(0), tally]))).toBe(1)
  })

  it('is no success when nothing ran', () => {
    expect(exitCodeFor(noTests)).toBe(1)
  })
})

describe('what the tests need of the system', () => {
  it('is nothing for the parts that are pure', () => {
    expect(missingPackages(['check', 'unit'])).toEqual([])
  })

  it('is demanded of a bench before it fills its data for minutes', () => {
    const folder = new URL('../bench/', import.meta.url)
    const neededOf = (name) => neededParts(readFileSync(new URL(`${name}.ts`, folder), 'utf8'))
    for (const name of ['receiver', 'inspector', 'inspector-forward'])
      expect([name, neededOf(name)]).toEqual([name, ['bench of the receiver']])
    for (const name of ['captures', 'invoices', 'subscriptions', 'trace'])
      expect([name, neededOf(name)]).toEqual([name, ['bench of the window']])
    expect(neededOf('lookup')).toEqual([])
  })

  it('is known from the distribution or what it descends from', () => {
    expect(distributionOf('NAME="Debian GNU/Linux"\nID=debian\n')).toEqual(['debian'])
    expect(distributionOf('ID=linuxmint\nID_LIKE="ubuntu debian"\n')).toContain('debian')
    expect(distributionOf('ID=fedora\n')).not.toContain('debian')
  })

  const missing = [{ what: 'GNOME Keyring', debian: ['gnome-keyring'] }]

  it('is said exactly', () => {
    expect(installAdvice(missing, ['debian'])).toBe('Run: sudo apt-get install gnome-keyring')
    expect(installAdvice(missing, ['fedora'])).toMatch(/your package manager: GNOME Keyring/)
  })
})
