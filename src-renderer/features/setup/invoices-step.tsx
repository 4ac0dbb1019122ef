import { AccessSteps, useInvoiceAccess } from '../../components/invoices/access-list.tsx'
import { Button } from '../../ui/button.tsx'
import { Hint, Note, Section } from '../../ui/layout.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { offersInvoices } from './setup-state.ts'
import type { StepProps } from './use-setup.ts'

export function InvoicesStep(props: StepProps) {
  const { network } = props
  if (!offersInvoices(network)) {
    return (
      <Section title="Invoices are not available">
        <Hint>
          {network.name} has no URL for invoices. If its gateway offers them, add the URL to the
          network.
        </Hint>
      </Section>
    )
  }
  return <Access {...props} />
}

function Access({ network }: StepProps) {
  const query = useInvoiceAccess(network)
  return (
    <Loaded query={query} of={`the access to invoices of ${network.name}`} rows={8}>
      {(access) => (
        <>
          {access.problem !== null && (
            <Note tone="bad">
              {access.problem} <Button onClick={() => void query.refetch()}>Try again</Button>
            </Note>
          )}
          <AccessSteps access={access} />
        </>
      )}
    </Loaded>
  )
}
