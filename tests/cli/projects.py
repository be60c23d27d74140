"""Projects whose agents several tests of the command talk to."""

from __future__ import annotations

TOOLS = """
    @agents.tool
    def wipe(path: str, deep: bool = False) -> str:
        "Delete a directory."
        print("wiping", path)
        return "gone"

    @agents.client_tool
    def locate(city: str) -> str:
        "Where the user is."

    ask = agents.PermissionPolicy(default="ask")

    def last(request):
        return request.messages[-1].content

    def named(*steps, **more):
        return agents.Agent(name="tester", model=ScriptedModel(steps), tools=[wipe, locate], **more)
"""

SLOW = """
    @agents.tool
    async def slow() -> str:
        "Take a while."
        await gate.hold()
        return "at last"

    agent = agents.Agent(name="tester", model=ScriptedModel([call("slow"), reply("Done.")]), tools=[slow])
"""
