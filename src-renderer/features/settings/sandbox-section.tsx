import type { Settings } from '../../../src-preload/contract/settings.ts'
import { readWhole } from '../../app/form-values.ts'
import { useResource } from '../../app/resource.ts'
import { printRoute, sandboxHome } from '../../app/route.ts'
import { Button } from '../../ui/button.tsx'
import { Switch } from '../../ui/switch.tsx'
import { TextField } from '../../ui/text-field.tsx'
import {
  restartSandbox,
  sandbox,
  startSandbox,
  statusWord,
  stopSandbox,
} from '../../app/sandbox-state.ts'
import { SectionForm } from './section-form.tsx'
import { Section } from './section.tsx'
import { UnknownState } from './unknown-state.tsx'
import { useDraft } from './use-draft.ts'
import { useSave } from './use-save.ts'
import styles from './section.module.css'

type SandboxSettings = Settings['sandbox']
type Draft = { port: string; startWithApp: boolean; allowHosts: string }

export function SandboxSection({ settings }: { settings: SandboxSettings }) {
  const save = useSave()
  const { draft, change, clear, form } = useDraft<Draft>(save)
  const port = draft.port ?? String(settings.port)
  const allowHosts = draft.allowHosts ?? settings.allowHosts.join(', ')

  const submit = async () => {
    const portNumber = readWhole(port)
    if (portNumber === null) {
      save.refuse({ 'sandbox.port': 'Type a number from 1024 to 65535.' })
      return
    }
    const next: SandboxSettings = {
      port: portNumber,
      startWithApp: draft.startWithApp ?? settings.startWithApp,
      allowHosts: allowHosts.split(/[\s,;]+/).filter((host) => host !== ''),
    }
    if (await save.save('Sandbox', { sandbox: next }, { sandbox: settings })) clear()
  }

  return (
    <Section
      id="sandbox"
      detail="A gateway of its own on this computer: the whole service over a real TVM, without network, keys or money. A change of the port or of the hosts restarts it at once; its chain is kept."
    >
      <CurrentState />
      <SectionForm {...form} onSubmit={() => void submit()}>
        <div className={styles['small']}>
          <TextField
            label="Port"
            inputMode="numeric"
            value={port}
            error={save.errors['sandbox.port']}
            onChange={(next) => change({ port: next })}
          />
        </div>
        <TextField
          label="Hosts it may deliver to"
          mono
          placeholder="example.com, staging.example.com"
          hint="Besides this computer. Separate hosts by commas, without a port."
          value={allowHosts}
          error={save.errors['sandbox.allowHosts']}
          onChange={(next) => change({ allowHosts: next })}
        />
        <Switch
          label="Start the sandbox with Tondesk"
          hint="It runs beside the app in a process of its own and takes 200 to 350 MB of memory."
          checked={draft.startWithApp ?? settings.startWithApp}
          onChange={(next) => change({ startWithApp: next })}
        />
      </SectionForm>
    </Section>
  )
}

function CurrentState() {
  const state = useResource(sandbox)
  if (state.status === 'failed') {
    return <UnknownState why={state.error.message} onRetry={() => void sandbox.reload()} />
  }
  if (state.status !== 'ready') return null
  const { status, problem, urls } = state.value
  return (
    <div className={styles['box']}>
      <div className={styles['line']}>
        <span>It is {statusWord(state.value)}.</span>
        {urls !== null && <span className={styles['path']}>{urls.query}</span>}
        {problem !== null && <span className={styles['error']}>{problem}</span>}
      </div>
      <div className={styles['line']}>
        {status === 'stopped' && (
          <Button icon="play" onClick={() => void startSandbox()}>
            Start
          </Button>
        )}
        {status === 'failed' && (
          <Button icon="refresh" onClick={() => void restartSandbox()}>
            Restart
          </Button>
        )}
        {(status === 'running' || status === 'starting') && (
          <Button icon="stop" onClick={() => void stopSandbox()}>
            Stop
          </Button>
        )}
        <a href={printRoute(sandboxHome)}>Open its page</a>
      </div>
    </div>
  )
}
