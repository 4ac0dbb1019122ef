/** The pure plan of a scenario: what happens in which order. The same scenario and seed give the same plan. */
import { createHash } from 'node:crypto'
import { ScenarioError, nearest } from './read-scenario.ts'
import { type Scenario, type Steps, maxSteps } from './scenario.ts'

/** Texts by name. `payment.hash` is a name, too. */
export type Variables = Readonly<Record<string, string>>

export type Effect = {
  readonly [Kind in keyof Steps]: {
    readonly kind: Kind
    readonly input: Steps[Kind]
    /** The number of the step in the file, and of its repetition, from 1. */
    readonly step: number
    readonly repetition: number
  }
}[keyof Steps]

type Plan = { readonly variables: Variables; readonly effects: readonly Effect[] }

/** Variables whose value is set while the scenario runs. */
const runtimeNames = ['now', 'nowSeconds', 'actual']

/**
 * @param given variables that every scenario of the run has
 * @throws ScenarioError for an unknown variable, wrong arithmetic or too many steps
 */
export function planScenario(scenario: Scenario, seed: string, given: Variables): Plan {
  const fail = (place: string, error: unknown) =>
    new ScenarioError(`${scenario.id}: ${place}: ${(error as Error).message}`)
  const random = randomFrom(`${seed}\n${scenario.id}`)
  let variables: Variables = { ...given, ...customersOf(scenario, random), seed }
  for (const [name, defined] of Object.entries(scenario.variables)) {
    try {
      const of = (text: string) => fillText(text, variables)
      const value =
        typeof defined === 'string'
          ? of(defined)
          : random.between(BigInt(of(defined.from)), BigInt(of(defined.to))).toString()
      variables = { ...variables, [name]: value }
    } catch (error) {
      throw fail(`variables.${name}`, error)
    }
  }
  const labels = new Set(runtimeNames)
  const effects: Effect[] = []
  for (const [index, { times = 1, ...step }] of scenario.steps.entries()) {
    const [[kind, input] = []] = Object.entries(step).filter(([, each]) => each !== undefined)
    if (effects.length + times > maxSteps) {
      throw fail('steps', new Error(`more than ${maxSteps} steps, with their repetitions`))
    }
    for (let repetition = 1; repetition <= times; repetition += 1) {
      try {
        const filled = fill(input, { ...variables, index: String(repetition) }, labels)
        effects.push({ kind, input: filled, step: index + 1, repetition } as Effect)
      } catch (error) {
        throw fail(`steps[${index}]`, error)
      }
    }
    const { as } = (input ?? {}) as { as?: string }
    if (as !== undefined) labels.add(as)
  }
  try {
    fill(scenario.expect, variables, labels)
  } catch (error) {
    throw fail('expect', error)
  }
  return { variables, effects }
}

/** Customers differ by scenario and seed, so that scenarios do not influence each other. */
function customersOf({ id }: Scenario, random: Random): Variables {
  const name = () => `${id.slice(0, 40)}-${random.between(0x100000n, 0xffffffn).toString(16)}`
  return { customer: name(), customer2: name(), customer3: name() }
}

/**
 * Fills the variables of all texts of a value, and of the names of fields.
 * @param later names that are known only while the scenario runs: their places stay as they are
 * @throws Error for a name that is neither known nor later
 */
export function fill<T>(value: T, variables: Variables, later?: ReadonlySet<string>): T {
  if (typeof value === 'string') return fillText(value, variables, later) as T
  if (Array.isArray(value)) return value.map((each) => fill(each as unknown, variables, later)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      fillText(name, variables, later),
      fill(each as unknown, variables, later),
    ]),
  ) as T
}

const fillText = (text: string, variables: Variables, later?: ReadonlySet<string>): string =>
  text.replaceAll(/\$\{([^{}]*)\}/g, (place, expression: string) => {
    const names = expression.match(namePattern) ?? []
    const isLater = names.some((name) => later?.has(name.split('.')[0] ?? '') === true)
    for (const name of names) {
      const isKnown = Object.hasOwn(variables, name) || later?.has(name.split('.')[0] ?? '')
      if (isKnown === true) continue
      const hint = nearest(name, [...Object.keys(variables), ...(later ?? [])])
      throw new Error(`the variable "${name}" is not set here. Did you mean "${hint}"?`)
    }
    return isLater ? place : evaluate(expression, variables)
  })

const namePattern = /[A-Za-z][\w-]*(\.[A-Za-z][\w-]*)*/g
/** A dash between blanks subtracts; a dash inside a name belongs to the name. */
const tokenPattern = /\s*([A-Za-z][\w-]*(?:\.[A-Za-z][\w-]*)*|\d+|[-+*/()])\s*/y

/** One name gives its text; an expression gives a whole number. @throws Error */
function evaluate(expression: string, variables: Variables): string {
  const name = expression.trim()
  if (Object.hasOwn(variables, name)) return variables[name] ?? ''
  const tokens: string[] = []
  tokenPattern.lastIndex = 0
  while (tokenPattern.lastIndex < expression.length) {
    const token = tokenPattern.exec(expression)?.[1]
    if (token === undefined) throw new Error(`"${expression}" is no arithmetic of whole numbers`)
    tokens.push(token)
  }

  function factor(): bigint {
    const token = tokens.shift() ?? ''
    if (token === '(') {
      const inner = sum()
      if (tokens.shift() !== ')') throw new Error(`"${expression}" lacks a closing parenthesis`)
      return inner
    }
    const digits = Object.hasOwn(variables, token) ? (variables[token] ?? '') : token
    if (!/^-?\d{1,200}$/.test(digits)) throw new Error(`"${token}" is no whole number`)
    return BigInt(digits)
  }

  function product(): bigint {
    let result = factor()
    while (tokens[0] === '*' || tokens[0] === '/') {
      const isProduct = tokens.shift() === '*'
      const next = factor()
      if (!isProduct && next === 0n) throw new Error(`"${expression}" divides by zero`)
      result = isProduct ? result * next : result / next
    }
    return result
  }

  function sum(): bigint {
    let result = product()
    while (tokens[0] === '+' || tokens[0] === '-') {
      result = tokens.shift() === '+' ? result + product() : result - product()
    }
    return result
  }

  const result = sum()
  if (tokens.length > 0) throw new Error(`"${expression}" is no arithmetic of whole numbers`)
  return result.toString()
}

export type Random = ReturnType<typeof randomFrom>

/** Whole numbers that depend on the words only. */
export function randomFrom(words: string) {
  let count = 0
  function between(from: bigint, to: bigint): bigint {
    if (to < from) throw new Error(`the range from ${from} to ${to} is empty`)
    const digest = createHash('sha256').update(`${words}\n${count}`).digest('hex')
    count += 1
    return from + (BigInt(`0x${digest}`) % (to - from + 1n))
  }

  const shuffle = <T>(items: readonly T[]): T[] =>
    items
      .map((item) => ({ item, place: between(0n, 2n ** 64n) }))
      .toSorted((a, b) => (a.place < b.place ? -1 : 1))
      .map(({ item }) => item)

  return { between, shuffle }
}
