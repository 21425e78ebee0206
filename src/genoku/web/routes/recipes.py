"""What there is to evolve with, and whether a recipe can be run as it is."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field

from genoku.web.limits import Asked, Seed, Until
from genoku.web.live.plan import RecipeAsked
from genoku.web.services import Here, in_worker, work

router = APIRouter(prefix="/api", tags=["recipes"])

Recipe = dict[str, Any]


class Part(BaseModel):
    """An operator or another part of a recipe."""

    kind: str
    name: str
    doc: str = Field(description="What it does, in one line.")
    about: str = Field(description="More about it; may be empty.")
    parameters: list[Parameter]
    sources: list[str] = Field(description="Reports and papers that it comes from.")
    deap: list[str] = Field(description="Its names in DEAP, if any.")
    in_deap: str = Field(description="How DEAP's differ, or what comes near.")


class Parameter(BaseModel):
    """What a part can be made with."""

    name: str
    type: str = Field(description='int, float, bool, str, choice, a kind, or "list of" one.')
    default: Any = Field(description="None where it has to be given.")
    choices: list[Any] = Field(description="Values of a choice, names of a kind, else none.")


class Preset(BaseModel):
    """An algorithm with a name."""

    name: str
    report: str = Field(description="Where it comes from.")
    about: str
    puzzle: str = Field(description="The bundled puzzle it is shown on.")
    until: str
    recipe: Recipe = Field(description="In full, with everything that it leaves to defaults.")
    variants: dict[str, list[str]] = Field(
        description="Labels by axis; a variant's name is the preset's and a label for any axis."
    )


class WholePreset(Preset):
    """A preset with all there is to say about it."""

    toml: str
    left_open: list[str] = Field(description="What the report left open, and what we chose.")
    differs: list[str] = Field(description="Where we knowingly differ.")


class ToCheck(RecipeAsked):
    """A preset or a recipe, with settings as `genoku solve --set` has them."""

    until: Until = ""
    puzzle: str | None = Field(None, max_length=100_000, description="Checked along, if given.")
    box: str | None = Field(None, max_length=20)
    name: str = Field("", max_length=200, description="Of the puzzle.")
    seed: Seed = 0


class Alternative(BaseModel):
    """A change that would mend a recipe."""

    path: str
    value: Any


class Trouble(BaseModel):
    """What keeps a recipe from being run."""

    message: str
    path: str = Field(default="", description="The field it is about; empty for the whole.")
    alternatives: list[Alternative] = []


class Checked(BaseModel):
    """Whether a recipe can be run, and if not, why."""

    ok: bool
    recipe: Recipe | None = Field(default=None, description="In full; null if it cannot be built.")
    toml: str = Field(default="", description="Its file; with a puzzle, all that decides a run.")
    name: str = Field(description="What pictures and verdicts call it.")
    until: str
    problem: Trouble | None = None


class ToRead(Asked):
    """The text of a recipe file."""

    text: str = Field(max_length=20_000, examples=['use = "annealing"'])


class Read(BaseModel):
    """What a recipe file says."""

    recipe: Recipe
    name: str
    about: str
    until: str
    puzzle: str = Field(default="", description="The board; empty where the file names none.")
    box: str = Field(default="", description="Of the puzzle.")
    puzzle_name: str = Field(default="", description="Of a bundled puzzle.")
    seed: int | None


@in_worker(router.get("/catalogue", summary="All parts of recipes"))
def catalogue() -> list[Part]:
    """Every part that recipes are made of, with its parameters."""
    from genoku import recipe

    return [Part(**each) for each in recipe.catalogue()]


@router.get("/presets", summary="All presets", response_model=list[Preset])
async def presets(here: Here) -> Any:
    """The presets, and the variants that have a line of their own."""
    return await work(here, "recipes.all_presets")


@router.get("/presets/{name}", summary="A preset in full", response_model=WholePreset)
async def preset(name: Annotated[str, Path(examples=["charles-elite"])], here: Here) -> Any:
    """One preset or variant, such as `charles-elite`, in full."""
    return await work(here, "recipes.whole_preset", name)


@router.post("/recipes/check", summary="Check a recipe", response_model=Checked)
async def check(asked: ToCheck, here: Here) -> Any:
    """Whether a recipe can be run; if not, the field at fault and what would fit."""
    return await work(here, "recipes.check", asked, here.limits)


@router.post("/recipes/read", summary="Read a recipe's file", response_model=Read)
async def read(asked: ToRead, here: Here) -> Any:
    """The recipe of a TOML file. It is data only: parts of one's own are not imported."""
    return await work(here, "recipes.read", asked.text)
