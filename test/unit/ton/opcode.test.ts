import { describe, expect, test } from 'vitest'
import { readOperation } from '../../../src-main/captures/query/values/chain.ts'
import { readHistoryFilter } from '../../../src-main/explorer/accounts/history.ts'
import { readCsv } from '../../../src-main/webhooks/file/read-file.ts'
import { routes } from '../../../src-preload/contract/routes.ts'
import { formatOpcode, parseOpcode } from '../../../src-preload/domain/opcode.ts'

const filter = { direction: null, asset: null, from: null, to: null }
const piece = { lead: '', isQuoted: false }

/** Returns for each form, file and query in which users enter an opcode whether it accepts the text. */
function placesThatAccept(text: string): boolean[] {
  const accepts = (read: () => unknown) => {
    try {
      return read() !== null
    } catch {
      return false
    }
  }
  const file = `endpoint,kind,value\nhttps://a.example,opcode,${text}\n`
  const query = readOperation(
    { ...piece, text } as never,
    { names: { opcodes: () => [] } } as never,
  )
  const webhook = { network: 'sandbox', id: '1', opcode: text, on: true }
  return [
    accepts(() => readHistoryFilter({ ...filter, opcode: text })),
    accepts(() => (readCsv(file, false).webhooks[0]?.faults.length === 0 ? file : null)),
    typeof query !== 'string',
    routes['webhook.setOpcode'].input.safeParse(webhook).success,
  ]
}

describe('an opcode that a user enters', () => {
  test.each([
    ['0x0f8a7ea5', '0x0f8a7ea5'],
    ['0XF8A7EA5', '0x0f8a7ea5'],
    ['260734629', '0x0f8a7ea5'],
    ['0', '0x00000000'],
    ['0xffffffff', '0xffffffff'],
    ['4294967295', '0xffffffff'],
  ])('the opcode %s is parsed as %s in every form, file and query', (text, opcode) => {
    expect(formatOpcode(parseOpcode(text) ?? -1)).toBe(opcode)
    expect(placesThatAccept(text)).toEqual([true, true, true, true])
  })

  test.each(['4294967296', '0x', '0x123456789', '-1', '1.5', '0b1', '1e3', 'unknown_name'])(
    'the opcode %s is refused in every form, file and query',
    (text) => {
      expect(parseOpcode(text)).toBeNull()
      expect(placesThatAccept(text)).toEqual([false, false, false, false])
    },
  )
})
