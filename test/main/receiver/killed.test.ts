import { test } from 'vitest'
import { killUnderLoad } from '../../fixtures/killed-receiver.ts'

test.each([1])(
  'after kills under load (seed %i) every delivery that got 200 is stored once, byte for byte',
  (seed) => killUnderLoad(seed, 2),
)
