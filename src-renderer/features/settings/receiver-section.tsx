import type { Settings } from '../../../src-preload/contract/settings.ts'
import { useResource, valueOf } from '../../app/resource.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Switch } from '../../ui/switch.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { publicReceiverUrl } from '../../app/public-receiver-url.ts'
import {
  receiver,
  rotateReceiverToken,
  startReceiver,
  stopReceiver,
} from '../../app/receiver-state.ts'
import { StatusTag } from '../../components/status-tag.tsx'
import { type BytesDraft, BytesField } from './bytes-field.tsx'
import { joinBytes, readWhole, splitBytes } from '../../app/form-values.ts'
import { SectionForm } from './section-form.tsx'
import { Section } from './section.tsx'
import { UnknownState } from './unknown-state.tsx'
import { useDraft } from './use-draft.ts'
import { useSave } from './use-save.ts'
import styles from './section.module.css'

type ReceiverSettings = Settings['receiver']
type Draft = {
  port: string
  limit: BytesDraft
  publicUrl: string
  rejectWrongToken: boolean
  listenAtStart: boolean
}

export function ReceiverSection({ settings }: { settings: ReceiverSettings }) {
  const save = useSave()
  const { draft, change, clear, form } = useDraft<Draft>(save)
  const port = draft.port ?? String(settings.port)
  const limit = draft.limit ?? splitBytes(settings.bodyLimitBytes)

  const state = valueOf(useResource(receiver))
  const inForce = state?.isPortForRun === true ? state.port : null
  const publicUrl = draft.publicUrl ?? settings.publicUrl ?? ''

  const submit = async () => {
    const portNumber = readWhole(port)
    const bytes = joinBytes(limit.amount, limit.unit)
    if (portNumber === null || bytes === null) {
      save.refuse({
        ...(portNumber === null && { 'receiver.port': 'Type a number from 1024 to 65535.' }),
        ...(bytes === null && { 'receiver.bodyLimitBytes': 'Type a number, such as 1 or 0.5.' }),
      })
      return
    }
    const next: ReceiverSettings = {
      port: portNumber,
      bodyLimitBytes: bytes,
      rejectWrongToken: draft.rejectWrongToken ?? settings.rejectWrongToken,
      listenAtStart: draft.listenAtStart ?? settings.listenAtStart,
      publicUrl: publicUrl.trim() === '' ? null : publicUrl,
    }
    if (await save.save('Receiver', { receiver: next }, { receiver: settings })) clear()
  }

  return (
    <Section
      id="receiver"
      detail="The address on this computer that webhooks are sent to. It listens on 127.0.0.1 only; a tunnel brings deliveries from outside."
    >
      <CurrentState publicUrl={settings.publicUrl} />
      <SectionForm {...form} onSubmit={() => void submit()}>
        <div className={styles['small']}>
          <TextField
            label="Port"
            inputMode="numeric"
            value={port}
            hint={
              inForce === null
                ? undefined
                : `In use now: ${inForce}, chosen on the command line for this run. This setting applies to the next start without that option, or as soon as you change it.`
            }
            error={save.errors['receiver.port']}
            onChange={(next) => change({ port: next })}
          />
        </div>
        <div className={styles['small']}>
          <BytesField
            label="Largest body"
            value={limit}
            error={save.errors['receiver.bodyLimitBytes']}
            onChange={(next) => change({ limit: next })}
          />
        </div>
        <TextField
          label="Public URL"
          type="url"
          mono
          placeholder="https://example.ngrok.app"
          hint="Where a tunnel reaches the receiver from outside; the path with its token goes below it. It is offered as the endpoint of new webhooks."
          value={publicUrl}
          error={save.errors['receiver.publicUrl']}
          onChange={(next) => change({ publicUrl: next })}
        />
        <Switch
          label="Answer 401 when the bearer token is wrong or missing"
          hint="Applies to webhook events once you have added a token below. Invoice deliveries carry no bearer token and are always accepted. What is refused is still captured."
          checked={draft.rejectWrongToken ?? settings.rejectWrongToken}
          onChange={(next) => change({ rejectWrongToken: next })}
        />
        <Switch
          label="Listen as soon as Tondesk starts"
          checked={draft.listenAtStart ?? settings.listenAtStart}
          onChange={(next) => change({ listenAtStart: next })}
        />
      </SectionForm>
    </Section>
  )
}

function CurrentState({ publicUrl }: { publicUrl: string | null }) {
  const state = useResource(receiver)
  if (state.status === 'failed') {
    return <UnknownState why={state.error.message} onRetry={() => void receiver.reload()} />
  }
  if (state.status !== 'ready') return null
  const { status, url, problem, port, wantedPort } = state.value
  const outside = publicReceiverUrl(publicUrl, url)
  const moved = wantedPort !== null && wantedPort !== port
  return (
    <div className={styles['box']}>
      <div className={styles['line']}>
        <StatusTag state={state.value} />
        {url !== null && <span className={styles['path']}>{url}</span>}
        {problem !== null && <span className={styles['error']}>{problem}</span>}
      </div>
      {outside !== null && (
        <div className={styles['line']}>
          From outside <span className={styles['path']}>{outside}</span>
        </div>
      )}
      {moved && status === 'listening' && (
        <p>
          Port {wantedPort} is taken by another program, so {port} is used.
        </p>
      )}
      <div className={styles['line']}>
        {url !== null && <CopyButton text={url} what="Receiver URL" label="Copy URL" />}
        {outside !== null && (
          <CopyButton text={outside} what="Public URL" label="Copy public URL" />
        )}
        {status === 'listening' ? (
          <Button icon="stop" onClick={() => void stopReceiver()}>
            Stop
          </Button>
        ) : (
          <Button kind="main" icon="play" onClick={() => void startReceiver()}>
            Start
          </Button>
        )}
        <Button kind="danger" icon="key" onClick={() => void rotateReceiverToken()}>
          Rotate token…
        </Button>
      </div>
    </div>
  )
}
