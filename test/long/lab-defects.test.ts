/** The lab against the sample handlers: it finds the defect that is switched on, and nothing else. */
import { describe, expect, test } from 'vitest'
import { labScenarios } from '../../src-main/sandbox/lab/run-lab.ts'
import { labDefects } from '../fixtures/lab-defects.ts'
import { type HandlerLanguage, handlerCommands } from '../fixtures/lab-handler.ts'
import { runSampleLab } from '../fixtures/lab-run.ts'

const languages = Object.keys(handlerCommands) as HandlerLanguage[]
const familyOf = new Map(labScenarios().map(({ id, family }) => [id, family ?? '']))
/** The number of seeds, for example 20 before a release. */
const seeds = Array.from(
  { length: Number(process.env['TONDESK_LAB_SEEDS'] ?? 1) },
  (_, index) => `seed-${index + 1}`,
)
const runMs = 300_000
const cases = languages.flatMap((language) => seeds.map((seed) => ({ language, seed })))

test.for(cases)(
  'the lab finds nothing in the sound $language handler ($seed)',
  { timeout: runMs },
  async ({ language, seed }) => {
    const { found, others, passed } = await runSampleLab(language, { seed })
    expect({ found, others }).toEqual({ found: {}, others: [] })
    expect(passed).toHaveLength(familyOf.size)
  },
)

describe.for(cases)('in the $language handler ($seed)', ({ language, seed }) => {
  test.concurrent.for(Object.entries(labDefects))(
    'of the families of its scenarios, the lab finds the defect %s and nothing else',
    { timeout: runMs },
    async ([defect, { finds, maybe = [] }]) => {
      const families = new Set(Object.keys(finds).map((id) => familyOf.get(id) ?? id))
      const { found, others } = await runSampleLab(language, {
        defect,
        seed,
        only: [...families],
      })
      const certain = Object.entries(found).filter(([id]) => !maybe.includes(id))
      expect({ found: Object.fromEntries(certain), others }).toEqual({ found: finds, others: [] })
    },
  )
})

type Expectation = ReturnType<typeof labScenarios>[number]['expect'][number]

/** The opposite of what an expectation demands. */
function negate(expectation: Expectation): Expectation {
  const { is, not, oneOf, change: _, changeAtMost: __, atLeast, ...rest } = expectation
  if (is !== undefined) return { ...rest, not: is }
  if (not !== undefined) return { ...rest, is: not }
  if (oneOf !== undefined) return { ...rest, is: 'another value' }
  if (atLeast !== undefined) return { ...rest, status: 418 }
  return { ...rest, changeAtLeast: '1'.padEnd(60, '0') }
}

test.for([0, 1])(
  'a scenario whose expectation %i is negated finds something in the sound handler',
  { timeout: 2 * runMs },
  async (place) => {
    const negated = labScenarios().flatMap((scenario) => {
      const expectation = scenario.expect[place]
      if (expectation === undefined) return []
      const settle = { timeoutMs: 200, quietMs: 0 }
      const changed = scenario.expect.with(place, negate(expectation))
      return [{ ...scenario, settle, expect: changed }]
    })
    const { found, passed } = await runSampleLab('node', { scenarios: negated })
    expect(passed).toEqual([])
    expect(Object.keys(found)).toHaveLength(negated.length)
  },
)
