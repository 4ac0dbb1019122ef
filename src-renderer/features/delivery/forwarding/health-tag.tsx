import type { ForwardRule } from '../../../../src-preload/contract/forward.ts'
import { Tag } from '../../../ui/tag.tsx'
import { healthTones, healthWords } from './rule-words.ts'

type State = ForwardRule['health'][number]['state']

/** How a target fares; of a rule that is off nobody asks. */
export function HealthTag({ state, isOn }: { state: State; isOn: boolean }) {
  if (!isOn) return <Tag>off</Tag>
  return <Tag tone={healthTones[state]}>{healthWords[state]}</Tag>
}
