"""The demo's agent, without its model: it reviews an alert on a payment, and asks before it opens a case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mistralai import agents

if TYPE_CHECKING:
    from typing import Literal

type Provider = Literal["mistral", "openai", "anthropic"]

ALERT = "An alert came in for payment TR-2209. Please review it."


@dataclass(frozen=True)
class Payment:
    """A payment, beside what is usual for the account that makes it."""

    reference: str
    amount_eur: float
    usual_amount_eur: float
    payee: str
    payee_known_days: int


PAYMENTS = {
    payment.reference: payment
    for payment in (
        Payment("TR-2209", 7450.0, 180.0, "Hollin & Marsh Ltd", 0),
        Payment("TR-2214", 42.5, 60.0, "City Water", 1460),
    )
}


@agents.tool(annotations=agents.ToolAnnotations(read_only_hint=True))
def find_payment(reference: str) -> Payment:
    """Find a payment, and what is usual for its account.

    Args:
        reference: The payment's reference, such as TR-2209.
    """
    if (payment := PAYMENTS.get(reference)) is None:
        raise agents.ToolError(f"There is no payment {reference}. There are {' and '.join(PAYMENTS)}.")
    return payment


@agents.tool
def open_case(reference: str, reason: str) -> str:
    """Open a case, which stops the payment until an investigator has looked at it.

    Args:
        reference: The payment's reference.
        reason: What looks wrong, in one sentence.
    """
    return f"C-{reference.removeprefix('TR-')}"


def payment_reviewer(model: str | agents.Model, provider: Provider = "mistral") -> agents.Agent[str]:
    """Make the agent, on a model of your choice."""
    return agents.Agent(
        name="payment-reviewer",
        model=model,
        provider=provider,
        description="Reviews alerts on payments.",
        instructions=(
            "You review alerts on payments. Find the payment before you judge it. Where it is far above the usual "
            "amount and the payee is new, open a case. Say in a sentence or two what you found and did."
        ),
        tools=[find_payment, open_case],
        permission_policy=agents.PermissionPolicy(
            default="allow", rules=[agents.PermissionRule(tools=["client.open_case"], decision="ask")]
        ),
    )
