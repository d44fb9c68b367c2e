"""The same tests on Spark Connect, in a process of its own: a process is either classic or Connect.

What differs there are names, types, plans, errors, observed metrics and queries of streams. What a kernel counts, where a cut lies
and what Spark's optimizer does above us are no matters of the protocol: of those there is one each. A stream runs with
applyInPandasWithState, which is cheaper; one query has the other operator.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from inwindow.runtime.spark.jvm import ensure_java

FOLDER = Path(__file__).parent
WHOLE = ["columns", "errors"]
SOME = {
    "types": [
        "every_type_passes_through",
        "a_value_of_any_type_keeps_its_type",
        "select_and_groups_hand_values_through",
        "names_and_expressions",
        "sort_expressions_of_spark_as_order",
        "columns_of_the_same_name_pass_through",
        "columns_of_aliased_data",
        "random_arguments_are_drawn_once",
        "instants_reach_hooks_in_the_session_zone",
        "maps_are_refused_as_keys_and_orders",
        "times_of_the_day",
        "what_cannot_cross_is_said",
        "datetimes_without_a_zone_are_in_the_session_zone",
    ],
    "select_and_group_by": [
        "select_as_on_a_table[a slide in time]",
        "select_as_on_a_table[active expiration by time]",
        "select_as_on_a_table[emit]",
        "extents_as_on_a_table[session-keys0]",
        "panes_of_spark_and_of_this_machine",
        "extents_as_sparks_window[1 hour-1 hour]",
        "whole_groups[keys1]",
        "explain_of_groups",
    ],
    "plans": [
        "data_in_place_are_not_shuffled_again[again]",
        "windows_over_the_same_expression_share_a_pass",
        "steps_above_change_nothing[another of ours-2]",
        "windows_as_arguments",
        "a_key_is_no_column_that_looks_like_it",
    ],
    "points": [
        "columns_of_spark",
        "of_itself_and_again",
        "of_itself_where_a_select_makes_a_column_of_another_one",
        "said",
    ],
    "pane_plan": ["an_error_behind_the_shuffle_names_the_extent", "explain"],
    "places": ["as_sparks_own"],
    "hot_keys": ["partials_of_other_data_are_an_error", "what_is_not_cut_says_why"],
    "temporal": ["one_relation[aggregate]", "two_relations[full]", "columns_of_spark_as_arguments"],
    "sentinel": ["two_sentinels_in_one_call"],
    "catalog": ["an_aggregate_reads_a_table", "a_table_that_is_too_large_or_a_stream", "many_rows_of_terminate"],
    "sql": [
        "as_spark_says[text3]",
        "as_spark_says[text8]",
        "names",
        "slides_by_another_attribute",
        "active_expiration",
        "a_registered_function_in_plain_sql[text2]",
        "wrong_calls_of_a_registered_function",
        "register_refuses",
        "names_belong_to_a_session",
    ],
    "stream_metrics": ["a_query_is_heard"],
    "composing_streams": ["refused_before_a_call[transformWithState]", "refused_behind_a_call[transformWithState]"],
    "stream_results": [
        "a_second_watermark_is_refused[transformWithState]",
        "a_step_behind_a_call_is_the_call_still",
        "one_operator_gives_rows_and_late_tuples[applyInPandasWithState]",
        "two_in_one_query_need_a_store",
        "results_in_one_query",
        "a_name_of_metrics_is_free_again",
    ],
    "streams": [
        "batches_without_data_move_time_on[applyInPandasWithState]",
        "a_hook_that_raises_is_named",
        "refused_on_the_driver",
        "many_partitions_are_warned_of",
        "explain_says_what_waits[transformWithState]",
    ],
    "watermarks": ["what_is_refused"],
}  # fmt: skip


@pytest.mark.skipif("PYTEST_CONNECT" in os.environ, reason="this is the run on Connect")
def test_on_connect() -> None:
    ensure_java()
    tests = [str(FOLDER / f"test_{name}.py") for name in WHOLE]
    tests += [f"{FOLDER / f'test_{name}.py'}::test_{one}" for name, some in SOME.items() for one in some]
    quiet = ["-q", "-x", "-p", "no:cacheprovider", "--tb=short"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *quiet, "--spark=connect", *tests],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTEST_CONNECT": "1"},
        cwd=FOLDER.parent.parent,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-6000:]
