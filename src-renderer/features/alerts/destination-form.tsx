import { useState } from 'react'
import type { AlertDestination, AlertEvent } from '../../../src-preload/contract/alert.ts'
import { reload, request, useData } from '../../app/bridge.ts'
import { useForm } from '../../app/use-form.ts'
import { TargetField, confirmUrl } from '../../components/delivery/targets.tsx'
import { Button } from '../../ui/button.tsx'
import {
  Checkbox,
  Field,
  Form,
  type FormState,
  RadioList,
  TextArea,
  TextField,
} from '../../ui/form.tsx'
import { Problem } from '../../ui/layout.tsx'
import { CopyButton, showToast } from '../../ui/toast.tsx'

type Kind = AlertDestination['kind']

type Values = {
  readonly kind: Kind
  readonly chatId: string
  readonly url: string
  readonly program: string
  /** Each line is one argument. */
  readonly args: string
  readonly secret: string
  readonly events: readonly AlertEvent[]
  readonly networks: readonly string[] | null
}

const kinds: readonly { value: Kind; label: string; why: string }[] = [
  { value: 'telegram', label: 'Telegram', why: 'Your bot sends a message to a chat.' },
  {
    value: 'webhook',
    label: 'Webhook',
    why: 'Tondesk sends a POST request with JSON, signed as Standard Webhooks specifies.',
  },
  {
    value: 'command',
    label: 'Program',
    why: 'Tondesk starts a program on this computer, which reads the incident as JSON from its standard input.',
  },
]

const events: readonly (readonly [AlertEvent, string])[] = [
  ['opened', 'An incident starts'],
  ['grown', 'An incident becomes worse'],
  ['closed', 'An incident ends'],
]

export function DestinationForm({
  destination,
  onClose,
}: {
  /** Null means that a new destination is added. */
  destination: AlertDestination | null
  onClose: () => void
}) {
  const form = useForm(valuesOf(destination), async (values) => {
    const { kind, chatId, url, program, args } = values
    if (kind === 'webhook') {
      const problem = await confirmUrl(url, 'Alerts', 'titles and causes of incidents')
      if (problem !== null) return { url: problem }
    }
    const common = {
      id: destination?.id ?? null,
      // A program may run only after the user has switched it on.
      enabled: destination?.enabled ?? kind !== 'command',
      events: [...values.events],
      networks: values.networks === null ? null : [...values.networks],
    }
    const secret = values.secret.trim() === '' ? null : values.secret
    const lines = args.split('\n').map((line) => line.replace(/\r$/, ''))
    const inputs = {
      telegram: { kind: 'telegram', chatId, secret, ...common },
      webhook: { kind: 'webhook', url, secret, ...common },
      command: {
        kind: 'command',
        program,
        args: lines.filter((line) => line !== ''),
        secret: null,
        ...common,
      },
    } as const
    await request('alert.save', inputs[kind])
    reload('alert.list')
    showToast({ title: destination === null ? 'Destination added' : 'Destination saved' })
    onClose()
  })
  const { values, change, errors, field } = form
  return (
    <Form
      inline
      label={destination === null ? 'Add destination' : 'Edit destination'}
      action={destination === null ? 'Add' : 'Save'}
      form={form}
      onCancel={onClose}
    >
      {destination === null && (
        <>
          <RadioList
            label="Kind of destination"
            value={values.kind}
            options={kinds}
            onChange={(kind) => change({ kind, secret: '' })}
          />
          <Problem>{errors['kind']}</Problem>
        </>
      )}
      {values.kind === 'telegram' && (
        <>
          <TextField
            label="Bot token"
            type="password"
            mono
            {...secretHint(
              destination,
              'Create a bot with @BotFather in Telegram, which shows the token.',
            )}
            {...field('secret')}
          />
          <TextField
            label="Chat ID"
            mono
            placeholder="-1001234567890"
            hint="Send your bot a message first, or add it to the group: a bot cannot begin a chat."
            {...field('chatId')}
          />
        </>
      )}
      {values.kind === 'webhook' && (
        <>
          <TargetField label="URL" {...field('url')} />
          <SigningSecret destination={destination} field={field('secret')} />
        </>
      )}
      {values.kind === 'command' && (
        <>
          <TextField
            label="Program"
            mono
            placeholder="/usr/local/bin/on-incident"
            hint="Tondesk asks you to confirm the program, starts it without a shell and stops it after 30 seconds. The exit code 0 means success."
            {...field('program')}
          />
          <TextArea
            label="Arguments"
            mono
            rows={3}
            hint="One argument per line. Other programs on this computer can read arguments, so do not enter a password."
            {...field('args')}
          />
        </>
      )}
      <EventChoice form={form} />
      <NetworkChoice form={form} />
    </Form>
  )
}

function valuesOf(destination: AlertDestination | null): Values {
  const { kind = 'telegram', events: chosen, networks = null } = destination ?? {}
  return {
    kind,
    chatId: destination?.kind === 'telegram' ? destination.chatId : '',
    url: destination?.kind === 'webhook' ? destination.url : '',
    program: destination?.kind === 'command' ? destination.program : '',
    args: destination?.kind === 'command' ? destination.args.join('\n') : '',
    secret: '',
    events: chosen ?? events.map(([event]) => event),
    networks,
  }
}

function secretHint(destination: AlertDestination | null, hint: string) {
  const stored = destination?.secret ?? null
  if (stored === null) return { hint, autoComplete: 'off' as const }
  return { hint: `Leave this field empty to keep the one that ends in ${stored.hint}. ${hint}` }
}

function SigningSecret({
  destination,
  field,
}: {
  destination: AlertDestination | null
  field: { value: string; onChange: (value: string) => void; error: string | undefined }
}) {
  const [generated, setGenerated] = useState<string | null>(null)
  const isGenerated = generated !== null && generated === field.value
  const generate = () => {
    const bytes = crypto.getRandomValues(new Uint8Array(32))
    const secret = `whsec_${btoa(String.fromCharCode(...bytes))}`
    setGenerated(secret)
    field.onChange(secret)
  }
  return (
    <TextField
      label="Signing secret"
      type={isGenerated ? 'text' : 'password'}
      mono
      placeholder="whsec_…"
      {...secretHint(
        destination,
        isGenerated
          ? 'Copy the secret to your server now: Tondesk does not show it again.'
          : 'Your server needs the same secret to verify the signature.',
      )}
      suffix={
        isGenerated ? (
          <CopyButton text={field.value} what="Signing secret" label="Copy" />
        ) : (
          <Button onClick={generate}>Generate</Button>
        )
      }
      {...field}
    />
  )
}

function EventChoice({ form: { values, change, errors } }: { form: FormState<Values> }) {
  const toggle = (event: AlertEvent, isChosen: boolean) =>
    change({
      events: events
        .map(([each]) => each)
        .filter((each) => (each === event ? isChosen : values.events.includes(each))),
    })
  return (
    <>
      <Field label="Send an alert when">
        {events.map(([event, label]) => (
          <Checkbox
            key={event}
            label={label}
            checked={values.events.includes(event)}
            onChange={(isChosen) => toggle(event, isChosen)}
          />
        ))}
      </Field>
      <Problem>{errors['events']}</Problem>
    </>
  )
}

function NetworkChoice({ form: { values, change } }: { form: FormState<Values> }) {
  const all = useData('network.list').data?.networks ?? []
  const { networks } = values
  return (
    <Field
      label="Networks"
      hint="Incidents of Tondesk itself, such as a full disk, are reported in any case."
    >
      <Checkbox
        label="All networks"
        checked={networks === null}
        onChange={(isAll) => change({ networks: isAll ? null : all.map(({ id }) => id) })}
      />
      {networks !== null &&
        all.map(({ id, name }) => (
          <Checkbox
            key={id}
            label={name}
            checked={networks.includes(id)}
            onChange={(isChosen) =>
              change({
                networks: isChosen ? [...networks, id] : networks.filter((each) => each !== id),
              })
            }
          />
        ))}
    </Field>
  )
}
