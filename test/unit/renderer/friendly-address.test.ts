import { Address } from '@ton/core'
import { describe, expect, it } from 'vitest'
import { friendlyAddress } from '../../../src-renderer/components/friendly-address.ts'

const raws = [`0:${'0'.repeat(64)}`, `-1:${'f5'.repeat(32)}`, `0:${'83dfd552e637291f'.repeat(4)}`]

describe('the friendly form of an address', () => {
  it.each(raws)(
    'the friendly form of %s equals the form of @ton/core for each pair of flags',
    (raw) => {
      for (const bounceable of [true, false]) {
        for (const testOnly of [true, false]) {
          expect(friendlyAddress(raw, { bounceable, testOnly })).toBe(
            Address.parse(raw).toString({ bounceable, testOnly }),
          )
        }
      }
    },
  )

  it.each(['', '0:12', 'EQabc', `0:${'g'.repeat(64)}`])(
    'the text %j has no friendly form',
    (text) => {
      expect(friendlyAddress(text, { bounceable: true, testOnly: false })).toBeNull()
    },
  )
})
