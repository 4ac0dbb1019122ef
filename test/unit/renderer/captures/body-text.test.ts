import { describe, expect, it } from 'vitest'
import {
  bodyFileName,
  readBody,
  layOutText,
  textOfRow,
} from '../../../../src-renderer/components/body/body-view.tsx'
import { bytesFromBase64, decodeUtf8 } from '../../../../src-renderer/components/body/bytes.ts'
import {
  chunkBytes,
  chunksFor,
  hexRow,
  offsetDigits,
  readOffset,
} from '../../../../src-renderer/components/body/hex-view.tsx'
import { columnsOf, visibleRuns } from '../../../../src-renderer/components/body/visible-text.ts'

const bytes = (...values: number[]) => Uint8Array.from(values)

describe('bodies in UTF-8', () => {
  it('a byte order mark is preserved as a part of the body', () => {
    expect(decodeUtf8(bytes(0xef, 0xbb, 0xbf, 0x61)).text).toBe('\ufeffa')
  })

  it.each([
    ['a lone 0xFF', bytes(0x61, 0xff, 0x62), 1],
    ['an overlong form', bytes(0x61, 0xc0, 0xaf), 1],
    ['a lead byte without its rest', bytes(0x61, 0xe2, 0x28), 1],
    ['a character cut at the end', bytes(0x61, 0x62, 0xe2, 0x82), 2],
    ['a surrogate', bytes(0xed, 0xa0, 0x80), 0],
  ])('the position of invalid UTF-8 is reported: %s', (_, input, at) => {
    expect(decodeUtf8(input).invalidAt).toBe(at)
  })

  it('a character that continues in the next part of the body is not reported as invalid', () => {
    expect(decodeUtf8(bytes(0x61, 0xe2, 0x82), true)).toEqual({ text: 'a', invalidAt: null })
  })

  it('every byte value is decoded from base64', () => {
    const all = Uint8Array.from({ length: 256 }, (_, index) => index)
    expect(bytesFromBase64(Buffer.from(all).toString('base64'))).toEqual(all)
  })
})

describe('visible text', () => {
  it('control characters and characters that hide or reorder text are made visible, and other text is unchanged', () => {
    expect(visibleRuns('a\u0000b\r')).toEqual([
      { text: 'a', stands: null },
      { text: 'NUL', stands: 'U+0000' },
      { text: 'b', stands: null },
      { text: 'CR', stands: 'U+000D' },
    ])
    expect(visibleRuns('EQ\u202eabc').map((run) => run.text)).toEqual(['EQ', '[U+202E]', 'abc'])
    expect(visibleRuns('café 😀 日本\tx')).toEqual([{ text: 'café 😀 日本\tx', stands: null }])
  })

  it('a character takes as many columns as its visible form', () => {
    for (const character of [
      '\u0000',
      '\u001b',
      '\u007f',
      '\u0085',
      '\u200b',
      '\ufeff',
      '\u00ad',
    ]) {
      const shown = visibleRuns(character)[0]?.text.length
      expect([character, columnsOf(character.charCodeAt(0))]).toEqual([character, shown])
    }
    expect(columnsOf('日'.charCodeAt(0))).toBe(2)
  })
})

describe('rows of text', () => {
  const allOf = (text: string, columns: number) => {
    const rows = layOutText(text, columns)
    return Array.from({ length: rows.count }, (_, row) => [rows.lines[row], textOfRow(rows, row)])
  }

  it('lines are numbered, long lines continue in further rows, and empty lines are preserved', () => {
    expect(allOf('abcdef\n\nxy\n', 4)).toEqual([
      [1, 'abcd'],
      [0, 'ef'],
      [2, ''],
      [3, 'xy'],
      [4, ''],
    ])
  })

  it('a surrogate pair is never split between rows', () => {
    expect(allOf('a😀b', 2).map(([, text]) => text)).toEqual(['a', '😀', 'b'])
  })

  it('a line of a megabyte is split into rows of the maximum length without loss', () => {
    const text = 'x'.repeat(1_048_576)
    const rows = layOutText(text, 100)
    expect(rows.lineCount).toBe(1)
    const parts = Array.from({ length: rows.count }, (_, row) => textOfRow(rows, row))
    expect(parts.join('')).toBe(text)
    expect(Math.max(...parts.map((part) => part.length))).toBe(100)
  })
})

describe('rows of hexadecimal bytes', () => {
  it('a row shows bytes in groups of eight, and letters only for printable bytes', () => {
    const row = hexRow(bytes(0, 255, 0x41, 0x7e, 0x7f, 0x20, 0x0a, 0x2e, 0x42), 0x1f40, 8)
    expect(row).toEqual({
      offset: '00001f40',
      hex: '00 ff 41 7e 7f 20 0a 2e  42',
      ascii: '..A~. ..B',
    })
  })

  it('the chunks of a byte range include no chunk after its last byte', () => {
    expect(chunksFor(0, 16)).toEqual([0])
    expect(chunksFor(chunkBytes - 16, chunkBytes)).toEqual([0])
    expect(chunksFor(chunkBytes - 1, chunkBytes + 1)).toEqual([0, chunkBytes])
  })

  it('an offset is parsed as decimal or hexadecimal', () => {
    expect(['0x1F40', '1f40h', ' 8000 ', '', 'x', '0x', '1f40'].map(readOffset)).toEqual([
      8000,
      8000,
      8000,
      null,
      null,
      null,
      null,
    ])
    expect(offsetDigits(2 ** 33)).toBe(9)
  })
})

describe('the view and name of a body', () => {
  const body = (text: Uint8Array<ArrayBuffer>) =>
    readBody({ form: 'raw', bytes: text, totalBytes: text.length, decodeProblem: null })
  const utf8 = (text: string) => Uint8Array.from(Buffer.from(text))

  it('a body is shown in the view that suits its content', () => {
    expect(body(utf8(' \n{"a":')).suits).toBe('tree')
    expect(body(utf8('hello')).suits).toBe('text')
    expect(body(bytes(0x7b, 0xff)).suits).toBe('hex')
  })

  it('a body is saved under a name without text of the sender', () => {
    expect(bodyFileName(7, 'application/problem+json; charset=utf-8', 'text')).toBe(
      'capture-7.json',
    )
    expect(bodyFileName(7, 'text/html', 'text')).toBe('capture-7.txt')
    expect(bodyFileName(7, '../../x.exe', 'hex')).toBe('capture-7.bin')
  })
})
