import type { SubscriptionsFormat } from '../../../src-preload/contract/subscription.ts'
import { createPieceDecoder } from '../../exports/text-decoder.ts'
import { readCsv } from './read-csv.ts'
import { readYaml } from './read-yaml.ts'
import type { WantedFile } from './wanted.ts'

/**
 * @param pieces bytes of the file in their order: UTF-8, or UTF-16 with a mark
 * @throws FileProblem
 */
export function readFile(
  pieces: readonly Uint8Array[],
  format: SubscriptionsFormat,
  testOnly: boolean,
): WantedFile {
  const decoder = createPieceDecoder()
  const text = pieces.map((piece) => decoder.read(piece)).join('') + decoder.end()
  return format === 'yaml' ? readYaml(text, testOnly) : readCsv(text, testOnly)
}
