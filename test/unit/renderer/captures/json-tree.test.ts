import { describe, expect, it } from 'vitest'
import {
  copyTextOf,
  innerContainers,
  keySourceOf,
  layOutJson,
  pathOf,
  sourceOf,
} from '../../../../src-renderer/components/body/tree-view.tsx'
import {
  type JsonTree,
  JsonScan,
  nodeFlag,
  nodeKind,
  readJsonTree,
} from '../../../../src-renderer/components/body/json-tree.ts'

function nodesOf(tree: JsonTree): { key: string | null; source: string }[] {
  return Array.from({ length: tree.size }, (_, node) => ({
    key: keySourceOf(tree, node),
    source: sourceOf(tree, node),
  }))
}

function sourceUnder(tree: JsonTree, key: string): string | undefined {
  return nodesOf(tree).find((node) => node.key === `"${key}"`)?.source
}

/** Returns the literals and the texts between them, which together are the whole text. */
function pieces(tree: JsonTree): { literals: string; between: string } {
  let at = 0
  let literals = ''
  let between = ''
  const take = (start: number, end: number) => {
    expect(start).toBeGreaterThanOrEqual(at)
    between += tree.text.slice(at, start)
    literals += tree.text.slice(start, end)
    at = end
  }
  for (let node = 0; node < tree.size; node += 1) {
    const keyStart = tree.keyStarts[node] ?? -1
    if (keyStart >= 0) take(keyStart, tree.keyEnds[node] ?? -1)
    const isLeaf = (tree.kinds[node] ?? 0) > nodeKind.array
    if (isLeaf) take(tree.starts[node] ?? -1, tree.ends[node] ?? -1)
  }
  between += tree.text.slice(at)
  return { literals, between }
}

describe('the JSON tree', () => {
  it('numbers are shown as written, without the rounding of JSON.parse', () => {
    const tree = readJsonTree('{"n":1.50,"big":9007199254740993,"e":1E+2,"minus":-0}')
    expect(tree.problem).toBeNull()
    expect(sourceUnder(tree, 'n')).toBe('1.50')
    expect(sourceUnder(tree, 'big')).toBe('9007199254740993')
    expect(sourceUnder(tree, 'e')).toBe('1E+2')
    expect(sourceUnder(tree, 'minus')).toBe('-0')
  })

  it('escapes are shown as received and copied as the characters they represent', () => {
    const tree = readJsonTree('["caf\\u00e9 \\"\\ud83d\\ude00\\/"]')
    expect(sourceOf(tree, 1)).toBe('"caf\\u00e9 \\"\\ud83d\\ude00\\/"')
    expect(copyTextOf(tree, 1)).toBe('café "😀/')
  })

  it('duplicate keys are all shown and marked, even with different escapes', () => {
    const tree = readJsonTree('{"a":1,"\\u0061":2,"b":{"a":3}}')
    expect(nodesOf(tree).map(({ source }) => source)).toContain('2')
    const flags = Array.from(tree.flags.subarray(0, tree.size))
    expect(flags).toEqual([0, 0, nodeFlag.duplicateKey, 0, 0])
  })

  it('the nodes cover the text exactly, with only punctuation and white space between the literals', () => {
    const text = ' {\r\n "a" : [ 1.50 ,\ttrue,null , {} ,"x\\n" ] , "a":"dup" }\n'
    const { literals, between } = pieces(readJsonTree(text))
    expect(literals).toBe('"a"1.50truenull"x\\n""a""dup"')
    expect(between).toMatch(/^[\s:,{}[\]]*$/)
    expect(literals.length + between.length).toBe(text.length)
  })

  it('the nodes cover an invalid text exactly', () => {
    const text = '{"a": [1, 2, tru, "rest": }'
    const { literals, between } = pieces(readJsonTree(text))
    expect(literals.length + between.length).toBe(text.length)
    expect(literals.endsWith('tru, "rest": }')).toBe(true)
  })

  it.each([
    ['{"a":1,\n  "b": tru}', 2, 8, /value/],
    ['[1,]', 1, 4, /value/],
    ['{"a" 1}', 1, 6, /colon/],
    ['{"a":1 "b":2}', 1, 8, /comma or }/],
    ['[1 2]', 1, 4, /comma or \]/],
    ['{a:1}', 1, 2, /key in quotes or }/],
    ['{"a":1,}', 1, 8, /key in quotes/],
    ['[01]', 1, 2, /number/],
    ['[1.]', 1, 2, /number/],
    ['[+1]', 1, 2, /value/],
    ['[-]', 1, 2, /number/],
    ['[NaN]', 1, 2, /value/],
    ['["a\tb"]', 1, 4, /control character/],
    ['["\\x"]', 1, 3, /escape \\x/],
    ['["\\u00g0"]', 1, 3, /hexadecimal/],
    ['["open', 1, 2, /does not end/],
    ['["end\\', 1, 2, /does not end/],
    ['[1]]', 1, 4, /nothing is expected/],
    ['{} {}', 1, 4, /nothing is expected/],
    ['[1}', 1, 3, /comma or \]/],
    ['["😀", x]', 1, 7, /value/],
    ['{"a":', 1, 6, /too early/],
    ['', 1, 1, /no value/],
    ['  \n ', 2, 2, /no value/],
  ])('the error of %j has its line, column and reason', (text, line, column, message) => {
    const { problem } = readJsonTree(text)
    expect(problem).toMatchObject({ line, column })
    expect(problem?.message).toMatch(message)
  })

  it('the tree accepts exactly the texts that JSON.parse accepts', () => {
    const texts = ['1', '"a"', ' null ', '[]', '{}', '[[],{}]', '[1e5,-1.5E-3]', '{"":0}', '"\\b"']
    for (const text of [...texts, '.5', '1e', '-01', "'a'", '[,]', '{,}', '"\n"', 'nul', 'trues']) {
      const accepts = (() => {
        try {
          JSON.parse(text)
          return true
        } catch {
          return false
        }
      })()
      expect([text, readJsonTree(text).problem === null]).toEqual([text, accepts])
    }
  })

  it('100,000 nested levels are parsed without recursion, closed or not', () => {
    const deep = readJsonTree('['.repeat(100_000) + ']'.repeat(100_000))
    expect(deep.problem).toBeNull()
    expect(deep.depths[deep.size - 1]).toBe(99_999)
    expect(layOutJson(deep, new Set()).rows).toHaveLength(199_999)
    expect(pathOf(deep, 99_999)).toHaveLength(1 + 3 * 99_999)

    const open = readJsonTree('{"a":'.repeat(100_000))
    expect(open.problem?.message).toMatch(/too early/)
    expect(layOutJson(open, new Set()).rows).toHaveLength(100_001)
  })

  it('a text of a megabyte is parsed in steps with the same result', () => {
    const text = `[${Array.from({ length: 40_000 }, (_, i) => `{"i":${i},"v":"x"}`).join(',\n')}]`
    const scan = new JsonScan(text)
    let steps = 0
    while (!scan.step(10_000)) steps += 1
    expect(steps).toBeGreaterThan(10)
    const tree = scan.tree()
    expect(tree.size).toBe(120_001)
    expect(tree.problem).toBeNull()
    expect(tree.starts.subarray(0, tree.size)).toEqual(
      readJsonTree(text).starts.subarray(0, tree.size),
    )
  })
})

describe('the rows of a JSON tree', () => {
  const tree = readJsonTree('{"a":[1,{"odd key":2}],"e":{},"z":0}')
  // The nodes are 0 {…}, 1 a, 2 1, 3 {…}, 4 odd key, 5 e, 6 z.

  it('each opened container has a closing row, and an empty container has a single row', () => {
    expect(Array.from(layOutJson(tree, new Set()).rows)).toEqual([0, 1, 2, 3, 4, ~3, ~1, 5, 6, ~0])
  })

  it('the contents of a collapsed container are hidden', () => {
    expect(Array.from(layOutJson(tree, new Set([1])).rows)).toEqual([0, 1, 5, 6, ~0])
    expect(innerContainers(tree)).toEqual(new Set([1, 3]))
  })

  it('the path to a value quotes keys that are no names', () => {
    expect(pathOf(tree, 0)).toBe('$')
    expect(pathOf(tree, 4)).toBe('$.a[1]["odd key"]')
  })
})
