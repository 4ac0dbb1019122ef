import type { Condition, IndexPlan, Match, NumberColumn } from '../store/index/index-plan.ts'
import type { SharedValue } from '../store/index/terms.ts'
import {
  compoundToken,
  allCapturesToken,
  headerKey,
  isLateField,
  keyToken,
  keyTokenBeginning,
  presenceKey,
  termToken,
  largestUnits,
  readAsset,
  wordFields,
} from './index-entry.ts'
import { type Field, fieldOfTest } from './fields.ts'
import { matchesValue, type Term } from './query.ts'
import { prefixOf, type Test } from './values/text.ts'
import { namesOfAsset, symbolsOf, unitsWithin } from './values/chain.ts'
import { lookupTable } from '../../../src-preload/domain/lookup-table.ts'

type QueryPlan = {
  /** Null if the index shows that nothing can match. */
  readonly index: IndexPlan | null
  readonly checks: readonly Term[]
}

type SharedValues = (key: string) => readonly SharedValue[]

type TermPlan = {
  readonly match?: Match
  readonly condition?: Condition
  /** True if the index finds more captures than the term matches, so that each capture must be tested. */
  readonly isMore?: boolean
}

type Nothing = 'nothing'

/** The maximum over all terms, because each value costs memory and a lookup. Beyond it, captures are read. */
const maxValues = 5000

export function planQuery(terms: readonly Term[], shared: SharedValues): QueryPlan {
  const wanted: Match[] = []
  const unwanted: Match[] = []
  const conditions: Condition[] = []
  const checks: Term[] = []
  let isNothing = false
  let values = 0
  for (const term of terms) {
    const plan = describeTerm(term, shared)
    if (plan !== 'nothing' && plan.match?.is === 'facets') values += plan.match.tokens.length
    if (plan === 'nothing') isNothing ||= !term.negated
    else if (values > maxValues) checks.push(term)
    else {
      const { match, condition, isMore = false } = plan
      if (isMore) checks.push(term)
      // The complement of a superset would miss captures.
      if (match !== undefined && !(isMore && term.negated)) {
        const list = term.negated ? unwanted : wanted
        list.push(match)
      }
      if (condition !== undefined) conditions.push(condition)
    }
  }
  if (isNothing) return { index: null, checks: [] }
  return { index: { match: allOf(wanted, unwanted), conditions }, checks }
}

function allOf(wanted: readonly Match[], unwanted: readonly Match[]): Match | null {
  if (wanted.length + unwanted.length === 0) return null
  const of = wanted.length === 0 ? [facets([allCapturesToken])] : wanted
  return { is: 'all', of, but: unwanted }
}

const facets = (tokens: readonly string[]): Match => ({ is: 'facets', tokens })

export function isSlowTerm(term: Term, shared: SharedValues): boolean {
  const plan = describeTerm(term, shared)
  return plan !== 'nothing' && plan.isMore === true
}

function describeTerm(term: Term, shared: SharedValues): TermPlan | Nothing {
  const { field, negated } = term
  const [name] = field.names
  switch (field.by) {
    case 'slow':
      return { isMore: true }
    case 'words':
      return describeWords(term, wordFields.find((each) => each === name) ?? 'all', shared)
    case 'key':
      return describeKeys(term, shared)
    case 'amount':
      return describeAmount(term, shared)
    case 'number': {
      const spans = term.tests.flatMap((test) => (test.is === 'range' ? [test] : []))
      return { condition: { on: 'number', column: numberColumns[name] ?? 'id', negated, spans } }
    }
    case 'text':
      if (name === 'pinned') return describePinned(term)
      if (name === 'forwarded') return describeForwarded(term)
      if (isLateField(name)) return describeLateTerm(term, name, shared)
      return describeFacets(term, shared)
  }
}

/** Values outside the list cannot be decided by the index. */
const hasOthers = (values: readonly SharedValue[]): boolean =>
  values.some(({ value }) => value === null)

const numberColumns: Readonly<Record<string, NumberColumn>> = lookupTable({
  received: 'received_at',
  lt: 'lt',
  size: 'size',
  took: 'took',
})

function describePinned({ negated, tests }: Term): TermPlan {
  const wantsPinned = tests.some((test) => matchesValue(test, 'yes'))
  const wantsOthers = tests.some((test) => matchesValue(test, 'no'))
  // `yes,no` matches every capture.
  if (wantsPinned === wantsOthers) return negated ? { condition: never } : {}
  return { condition: { on: 'pinned', negated: wantsOthers !== negated } }
}

const never: Condition = { on: 'term', column: 'network', negated: false, ids: [-1] }

const forwardStates = ['waiting', 'failed', 'delivered', 'dropped', 'no'] as const

function describeForwarded({ negated, tests }: Term): TermPlan {
  const states = forwardStates.filter((state) => tests.some((test) => matchesValue(test, state)))
  return { condition: { on: 'forwarded', negated, states } }
}

function describeLateTerm(
  { negated, tests }: Term,
  column: Extract<Condition, { on: 'term' }>['column'],
  shared: SharedValues,
): TermPlan {
  const values = shared(column)
  if (hasOthers(values)) return { isMore: true }
  const holds = (value: string) => tests.some((test) => matchesValue(test, value))
  const ids: (number | null)[] = values
    .filter(({ value }) => value !== null && valuesOf(column, value).some(holds))
    .map(({ id }) => id)
  // `unknown` also matches captures without a network.
  if (column === 'network' && holds('unknown')) ids.push(null)
  if (column === 'meaning' && holds('none')) ids.push(null)
  return { condition: { on: 'term', column, negated, ids } }
}

const valuesOf = (column: string, value: string): readonly string[] =>
  column === 'asset' ? namesOfAsset(readAsset(value)) : [value]

function describeAmount({ negated, tests }: Term, shared: SharedValues): TermPlan {
  const amounts = amountsOf(tests, shared)
  // Amounts above `largestUnits` are indistinguishable in the index.
  const isBeyond = amounts.some(({ low, high }) =>
    [low, high].some((units) => units !== null && units >= largestUnits),
  )
  if (isBeyond || hasOthers(shared('asset'))) return { isMore: true }
  return { condition: { on: 'amount', negated, amounts } }
}

const amountsOf = (tests: readonly Test[], shared: SharedValues) =>
  shared('asset').flatMap(({ id, value }) => {
    if (value === null) return []
    const asset = readAsset(value)
    const symbols = symbolsOf(asset)
    return tests.flatMap((test) =>
      test.is === 'amount' && symbols.includes(test.symbol)
        ? [{ asset: id, ...unitsWithin(test, asset.decimals) }]
        : [],
    )
  })

function describeFacets({ field, name, tests }: Term, shared: SharedValues): TermPlan | Nothing {
  const key = name === '' ? field.names[0] : headerKey(name)
  const values = shared(key)
  const found = values.filter(
    ({ value }) => value === null || tests.some((test) => matchesValue(test, value)),
  )
  if (found.length === 0) return 'nothing'
  return {
    match: facets(found.map(({ id }) => termToken(id))),
    isMore: found.some(({ value }) => value === null),
  }
}

function presence(field: Field, shared: SharedValues): Match | null {
  const present = shared(presenceKey).find(({ value }) => value === field.names[0])
  return present === undefined ? null : facets([termToken(present.id)])
}

/** If one alternative must be tested, all results must be. */
function anyOf(parts: readonly (TermPlan | Nothing)[]): TermPlan | Nothing {
  const plans = parts.filter((part) => part !== 'nothing')
  if (plans.length === 0) return 'nothing'
  const matches = plans.map(({ match }) => match)
  const isMore = plans.some((part) => part.isMore === true)
  const decided = matches.filter((match) => match !== undefined)
  return decided.length === matches.length
    ? { match: { is: 'any', of: decided }, isMore }
    : { isMore: true }
}

function describeWords(
  term: Term,
  column: (typeof wordFields)[number] | 'all',
  shared: SharedValues,
): TermPlan | Nothing {
  const { field, tests } = term
  return anyOf(
    tests.map((test) => {
      if (test.is === 'words')
        return { match: { is: 'phrase', column, text: test.phrase, prefix: test.prefix } }
      if (test.is === 'compound') return beginning(compoundToken(test.beginning))
      if (test.is === 'field') {
        const { from, to } = term
        const requested = { from, to, field: fieldOfTest(test.field), name: '', negated: false }
        return describeTerm({ ...requested, tests: [test.test] }, shared)
      }
      const match = presence(field, shared)
      if (column === 'all') return { isMore: true }
      return match === null ? 'nothing' : { match, isMore: test.is !== 'some' }
    }),
  )
}

const beginning = (token: string, ending = ''): TermPlan => ({
  match: { is: 'facets beginning', token, ending },
})

/** If fewer characters precede the ending, too many keys would be compared by their ending. */
const minLengthWithEnding = 6

function describeKeys({ field, tests }: Term, shared: SharedValues): TermPlan | Nothing {
  const [name] = field.names
  return anyOf(
    tests.map((test) => {
      if (test.is !== 'text') return 'nothing'
      const { pattern } = test
      if (pattern.length === 1) return { match: facets([keyToken(name, pattern[0])]) }
      const [head, ending = ''] = pattern
      const token = pattern.length === 2 ? keyTokenBeginning(name, head) : null
      if (token !== null && (ending === '' || token.length >= minLengthWithEnding)) {
        return beginning(token, ending)
      }
      const match = presence(field, shared)
      return match === null ? 'nothing' : { match, isMore: prefixOf(pattern) !== '' }
    }),
  )
}
