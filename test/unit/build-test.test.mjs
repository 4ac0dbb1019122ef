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

describe('the summary of a test run', () => {
  it('the summary of a test run adds the results of all parts', () => {
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
    ['a test file that does not load', tallyVitest(vitest, 1)],
    [
      'a test that passed only on a retry',
      tallyPlaywright({ stats: { ...playwright.stats, flaky: 1 } }, 0),
    ],
    ['a test runner that crashed', tallyPlaywright(playwright, 139)],
  ])('the summary of a test run counts %s as failed', (_name, tally) => {
    expect(tally.failed).toBe(1)
    expect(exitCodeFor(addTallies([tallyCommand(0), tally]))).toBe(1)
  })

  it('a test run without any test fails', () => {
    expect(exitCodeFor(noTests)).toBe(1)
  })
})

describe('the system packages that the tests need', () => {
  it('the pure parts of the tests need no system packages', () => {
    expect(missingPackages(['check', 'unit'])).toEqual([])
  })

  it('each benchmark declares which system packages it needs', () => {
    const folder = new URL('../bench/', import.meta.url)
    const neededOf = (name) => neededParts(readFileSync(new URL(`${name}.ts`, folder), 'utf8'))
    for (const name of ['receiver', 'inspector', 'inspector-forward'])
      expect([name, neededOf(name)]).toEqual([name, ['bench of the receiver']])
    for (const name of ['captures', 'invoices', 'subscriptions', 'trace'])
      expect([name, neededOf(name)]).toEqual([name, ['bench of the window']])
    expect(neededOf('lookup')).toEqual([])
  })

  it('a distribution is recognized by its own id and by the ids it descends from', () => {
    expect(distributionOf('NAME="Debian GNU/Linux"\nID=debian\n')).toEqual(['debian'])
    expect(distributionOf('ID=linuxmint\nID_LIKE="ubuntu debian"\n')).toContain('debian')
    expect(distributionOf('ID=fedora\n')).not.toContain('debian')
  })

  const missing = [{ what: 'GNOME Keyring', debian: ['gnome-keyring'] }]

  it('the advice names the install command on Debian and the missing programs elsewhere', () => {
    expect(installAdvice(missing, ['debian'])).toBe('Run: sudo apt-get install gnome-keyring')
    expect(installAdvice(missing, ['fedora'])).toMatch(/your package manager: GNOME Keyring/)
  })
})
