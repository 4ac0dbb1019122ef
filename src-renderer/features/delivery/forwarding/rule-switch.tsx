import type { ForwardRule } from '../../../../src-preload/contract/forward.ts'
import { Switch } from '../../../ui/switch.tsx'
import { setEnabled } from './rule-commands.ts'
import { titleOf } from './rule-words.ts'

export function RuleSwitch({ rule }: { rule: ForwardRule }) {
  return (
    <Switch
      hideLabel
      label={`Forward by ${titleOf(rule)}`}
      checked={rule.enabled}
      onChange={(enabled) => void setEnabled(rule, enabled)}
    />
  )
}
