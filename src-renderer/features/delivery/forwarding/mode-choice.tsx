import type { ForwardRule } from '../../../../src-preload/contract/forward.ts'
import { type RadioOption, RadioList } from '../../../ui/radio-list.tsx'
import { modeSentences } from './rule-words.ts'

type Mode = ForwardRule['mode']

const modes: readonly RadioOption<Mode>[] = [
  { value: 'after', label: 'After the answer', why: modeSentences.after },
  { value: 'through', label: 'Pass through', why: modeSentences.through },
]

/** What the gateway gets, and who tries again: the one choice that matters. */
export function ModeChoice(props: { value: Mode; onChange: (mode: Mode) => void }) {
  return <RadioList label="What the gateway gets" options={modes} {...props} />
}
