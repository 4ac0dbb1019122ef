import type {
  SandboxChain,
  SandboxFault,
  SandboxRoot,
} from '../../../src-preload/contract/sandbox.ts'
import { request } from '../../app/bridge.ts'
import { parseInteger } from '../../app/use-form.ts'
import { parseSpan } from '../../../src-preload/domain/time-span.ts'
import { formatTimeSpan } from '../../components/time-span.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { TextField, SelectField } from '../../ui/form.tsx'
import { formatCount } from '../../ui/format.ts'
import { Columns, Section, Stack } from '../../ui/layout.tsx'
import { Table } from '../../ui/table.tsx'
import { ActionForm, RunResult, useActionForm, useButtonAction } from './action-form.tsx'

const roots: readonly { value: SandboxRoot; label: string }[] = [
  { value: 'query', label: 'Query API' },
  { value: 'webhooks', label: 'Webhooks API' },
  { value: 'testnet-query', label: 'Query API, Testnet' },
  { value: 'testnet-webhooks', label: 'Webhooks API, Testnet' },
  { value: 'invoices', label: 'Invoices API' },
]

type Kind = SandboxFault['kind']

const kinds: readonly { value: Kind; label: string }[] = [
  { value: 'delay', label: 'Responds late' },
  { value: 'status', label: 'Responds with an error status' },
  { value: 'reset', label: 'Resets the connection' },
  { value: 'rate-limit', label: 'Limits the request rate (429)' },
]

/** The field of the value that each kind of fault takes. */
const valueFields: Readonly<Record<Exclude<Kind, 'reset'>, { label: string; problem: string }>> = {
  delay: { label: 'Delay', problem: 'Enter a time, such as 2 s.' },
  status: { label: 'HTTP status', problem: 'Enter a status from 400 to 599.' },
  'rate-limit': {
    label: 'Requests per second',
    problem: 'Enter a number, such as 1 or 0.25.',
  },
}

const initial = {
  root: 'query' as SandboxRoot,
  kind: 'status' as Kind,
  delay: '2 s',
  status: '503',
  'rate-limit': '1',
  share: '100',
}

export function FaultsTab({ faults }: { faults: SandboxChain['faults'] }) {
  const removal = useButtonAction()
  const form = useActionForm(initial, async (values, report) => {
    const { kind } = values
    const part = parseInteger(values.share)
    const fault = readFault(values.root, kind, kind === 'reset' ? '' : values[kind])
    const isShare = part !== null && part > 0 && part <= 100
    if (fault === null || !isShare) {
      return {
        ...(fault === null && kind !== 'reset' && { [kind]: valueFields[kind].problem }),
        ...(!isShare && { share: 'Enter a number from 1 to 100.' }),
      }
    }
    report(await saveFaults([...faults, { ...fault, share: part / 100 }]))
  })
  const { kind } = form.values
  return (
    <>
      {faults.length > 0 && (
        <Section title="Active faults">
          <Stack>
            <Table
              label="Active faults"
              rows={faults.map((fault, index) => ({ fault, index }))}
              keyOf={({ index }) => index}
              columns={[
                { name: 'Fault', grow: 1, width: 160, cell: ({ fault }) => describe(fault) },
                {
                  name: 'Actions',
                  hideName: true,
                  cell: ({ fault, index }) => (
                    <IconButton
                      icon="trash"
                      label={`Remove fault: ${describe(fault)}`}
                      busy={removal.busy}
                      onClick={() =>
                        removal.start(() => saveFaults(faults.filter((_, at) => at !== index)))
                      }
                    />
                  ),
                },
              ]}
            />
            <RunResult {...removal} />
          </Stack>
        </Section>
      )}
      <ActionForm
        title="Add a fault"
        detail="Faults let you test your backend against a slow, unavailable or rate-limited gateway. Faults also affect the steps under “First webhook from the sandbox” on the Overview page. They do not affect this page."
        form={form}
        action="Add fault"
        beside={
          faults.length > 0 && (
            <Button busy={removal.busy} onClick={() => removal.start(() => saveFaults([]))}>
              Remove all faults
            </Button>
          )
        }
      >
        <SelectField label="API" {...form.field('root')} options={roots} />
        <SelectField label="Fault" {...form.field('kind')} options={kinds} />
        <Columns least={150} gap="l">
          {kind !== 'reset' && <TextField label={valueFields[kind].label} {...form.field(kind)} />}
          <TextField
            label="Percentage of requests"
            suffix="%"
            inputMode="numeric"
            {...form.field('share')}
          />
        </Columns>
      </ActionForm>
    </>
  )
}

async function saveFaults(faults: SandboxFault[]): Promise<string> {
  const { faults: active } = await request('sandbox.setFaults', { faults })
  return active.length === 0
    ? 'No faults are active'
    : formatCount(active.length, 'fault is active', 'faults are active')
}

function readFault(root: SandboxRoot, kind: Kind, text: string): SandboxFault | null {
  switch (kind) {
    case 'delay': {
      const delayMs = parseSpan(text)
      return delayMs === null ? null : { root, kind, delayMs }
    }
    case 'status': {
      const status = parseInteger(text)
      return status === null || status < 400 || status > 599 ? null : { root, kind, status }
    }
    case 'reset':
      return { root, kind }
    case 'rate-limit': {
      const perSecond = /^\d{1,4}(\.\d{1,4})?$/.test(text.trim()) ? Number(text) : 0
      return perSecond > 0 ? { root, kind, perSecond } : null
    }
  }
}

function describe(fault: SandboxFault): string {
  const where = roots.find(({ value }) => value === fault.root)?.label ?? fault.root
  const share =
    fault.share === undefined || fault.share === 1 ? '' : ` for ${fault.share * 100} % of requests`
  return `${where} ${describeKind(fault)}${share}`
}

function describeKind({ kind, delayMs = 0, status = 500, perSecond = 1 }: SandboxFault): string {
  switch (kind) {
    case 'delay':
      return `responds ${formatTimeSpan(delayMs)} late`
    case 'status':
      return `responds with ${status}`
    case 'reset':
      return 'resets the connection'
    case 'rate-limit':
      return `limits requests to ${perSecond} per second (429)`
  }
}
