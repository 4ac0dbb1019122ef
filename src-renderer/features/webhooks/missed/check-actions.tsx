import type { MissedCheck } from '../../../../src-preload/contract/ledger.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { actionsOf } from '../../../components/jobs/job-state.ts'
import { cancelCheck, removeCheck, resumeCheck } from './check-commands.ts'

export function CheckActions({ check }: { check: MissedCheck }) {
  const { canResume, canStop } = actionsOf(check)
  const of = `check ${check.id}`
  return (
    <>
      {canResume && (
        <Button icon="play" aria-label={`Resume ${of}`} onClick={() => void resumeCheck(check)}>
          Resume
        </Button>
      )}
      {canStop && (
        <Button icon="stop" aria-label={`Cancel ${of}`} onClick={() => void cancelCheck(check)}>
          Cancel
        </Button>
      )}
      <IconButton icon="trash" label={`Remove ${of}…`} onClick={() => void removeCheck(check)} />
    </>
  )
}
